import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useMemo, useState, type ReactNode } from 'react'
import { deliveriesCall, webhooksCall } from '#contract/console-api/pages/notifications.ts'
import { isNoResponse } from '#contract/protocol/call-causes.ts'
import type { Webhook, WebhookDelivery } from '#contract/console-api/shapes.ts'
import { apiQuery, FOLLOW_MS, followInterval } from '../../api/query.ts'
import { useMay, useSession } from '../../api/session.ts'
import { useWrite } from '../../api/write.ts'
import { errorView } from '../../i18n/describe-code.ts'
import { BatchLink } from '../../subjects/batch/BatchLink.tsx'
import { OperationLink } from '../../subjects/operations/OperationLink.tsx'
import { PendingPage } from '../../layouts/PendingPage.tsx'
import { QueryTable } from '../../ui/table/QueryTable.tsx'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths } from '../../addresses/paths.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card, Section } from '../../ui/Card.tsx'
import { DefinitionList } from '../../ui/DefinitionList.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Id, Mono } from '../../ui/Id.tsx'
import { Nothing } from '../../ui/Nothing.tsx'
import { Notice } from '../../ui/Notice.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Time } from '../../ui/Time.tsx'
import { showToast } from '../../ui/toast.ts'
import { Forbidden } from './Forbidden.tsx'
import { WebhookState } from './NotificationsPage.tsx'
import { coverageText, eventsText } from './webhook-form.ts'
import { WebhookDialog } from './WebhookDialog.tsx'
import { ConfirmForm } from '../../forms/dialogs/ConfirmForm.tsx'

const route = getRouteApi('/notifications/$id')
/** How often the log is read again while something is not sent yet. */
const SENDING_MS = 2_000

/** One webhook, and what was sent to it. */
export function WebhookPage() {
  const t = useText()
  const { id } = route.useParams()
  const session = useSession()
  const may = useMay('notification:write', 'everywhere')
  const query = useQuery({ ...apiQuery('GET /webhooks', webhooksCall), enabled: may })
  if (session.data && !may) return <Forbidden />
  const webhook = query.data?.items.find(({ webhookId }) => webhookId === id)
  if (webhook) return <Shown webhook={webhook} />
  const trail = [{ label: t('notifications.title'), to: paths.notifications() }]
  if (query.data) {
    return (
      <Page title={t('notifications.title')} trail={trail}>
        <Card>
          <EmptyState title={t('notifications.missing.title')} message={t('notifications.missing.message')} />
        </Card>
      </Page>
    )
  }
  return <PendingPage id={id} trail={trail} query={query} />
}

function Shown({ webhook }: { webhook: Webhook }) {
  const t = useText()
  const [dialog, setDialog] = useState<'edit' | 'delete' | null>(null)
  const { webhookId, title, disabledBecause, failingSince } = webhook
  const test = useWrite('POST /webhooks/{webhookId}/test', {
    invalidates: ['GET /webhooks', 'GET /webhooks/{webhookId}/deliveries'],
  })
  const sendTest = () =>
    test.mutate(
      { params: { webhookId }, body: {} },
      {
        onSuccess: () => showToast({ text: t('notifications.test.sent') }),
        onError: (error) => showToast({ tone: 'error', text: errorView(error).message }),
      },
    )
  const close = () => setDialog(null)
  return (
    <Page
      title={title}
      trail={[{ label: t('notifications.title'), to: paths.notifications() }]}
      state={<WebhookState webhook={webhook} look="pill" />}
      actions={
        <>
          <Button icon="notifications" busy={test.isPending} onClick={sendTest}>
            {t('notifications.test')}
          </Button>
          <Button icon="edit" onClick={() => setDialog('edit')}>
            {t('notifications.edit')}
          </Button>
          <Button variant="dangerQuiet" icon="close" onClick={() => setDialog('delete')}>
            {t('notifications.delete')}
          </Button>
        </>
      }
      notice={
        disabledBecause !== null ? (
          <Notice tone="error" title={t('notifications.stopped.title')}>
            {t(`notifications.stopped.${disabledBecause}`)}
          </Notice>
        ) : (
          failingSince !== null && (
            <Notice tone="warn" title={t('notifications.failing.title')}>
              {t('notifications.failing.message')} <Time at={failingSince} exact />
            </Notice>
          )
        )
      }
    >
      <Card className="mb-6">
        <DefinitionList
          items={[
            { label: t('notifications.field.id'), value: <Id id={webhookId} full copy /> },
            { label: t('notifications.field.url'), value: <Mono>{webhook.url}</Mono> },
            { label: t('notifications.field.events'), value: eventsText(webhook, t) },
            { label: t('notifications.field.scope'), value: coverageText(webhook, t) },
            {
              label: t('notifications.field.format'),
              value: t(`notifications.format.${webhook.format}`),
            },
            {
              label: t('notifications.fact.retryingAfter'),
              value: t('notifications.minutes', { n: webhook.retryingAfterMinutes }),
            },
            { label: t('notifications.field.created'), value: <Time at={webhook.createdAt} exact /> },
          ]}
        />
      </Card>
      <Log webhookId={webhookId} />
      {dialog === 'edit' && <WebhookDialog webhook={webhook} onClose={close} />}
      {dialog === 'delete' && <DeleteWebhook webhook={webhook} onClose={close} />}
    </Page>
  )
}

function Log({ webhookId }: { webhookId: string }) {
  const t = useText()
  const { cursor } = route.useSearch()
  const query = useQuery({
    ...apiQuery(
      'GET /webhooks/{webhookId}/deliveries',
      deliveriesCall(webhookId, cursor === undefined ? {} : { cursor }),
    ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data, error } }) =>
      followInterval(
        error,
        data?.items.some(({ state }) => state === 'PENDING') === true ? SENDING_MS : FOLLOW_MS,
      ),
  })
  const columns = useMemo(() => deliveryColumns(t), [t])
  return (
    <Section title={t('notifications.log.title')} description={t('notifications.log.about')} flush>
      <QueryTable
        label={t('notifications.log.title')}
        query={query}
        columns={columns}
        rowKey={deliveryKey}
        cursor={cursor}
        pageLink={(next) => paths.notification(webhookId, next === undefined ? {} : { cursor: next })}
        skeletonRows={4}
        empty={
          <EmptyState
            icon="notifications"
            title={t('notifications.log.none.title')}
            message={t('notifications.log.none.message')}
          />
        }
      />
    </Section>
  )
}

const deliveryKey = ({ deliveryId }: WebhookDelivery) => deliveryId
const TONE = { PENDING: 'doubt', DELIVERED: 'ok', FAILED: 'fail' } as const
const ICON = { PENDING: 'waiting', DELIVERED: 'done', FAILED: 'failed' } as const

/** Why there was no response; the code of the platform for what no text explains. */
function reasonText(code: string, t: Translate): ReactNode {
  if (code === 'not-sent' || code === 'expired') return t(`notifications.reason.${code}`)
  return isNoResponse(code) ? t(`noResponse.${code}`) : <Mono>{code}</Mono>
}

const deliveryColumns = (t: Translate): Column<WebhookDelivery>[] => [
  {
    id: 'event',
    header: t('notifications.log.event'),
    cell: ({ event }) => t(`notifications.event.${event}`),
    width: 'max(8rem, 20cqi)',
  },
  {
    id: 'subject',
    header: t('notifications.log.subject'),
    cell: ({ operationId, batchId }) => {
      if (operationId !== null) return <OperationLink id={operationId} />
      if (batchId === null) return '–'
      return <BatchLink id={batchId} />
    },
  },
  {
    id: 'state',
    header: t('notifications.field.state'),
    cell: ({ state }) => (
      <Badge tone={TONE[state]} icon={ICON[state]} look="plain">
        {t(`notifications.delivery.${state}`)}
      </Badge>
    ),
    width: '8.5rem',
  },
  {
    id: 'result',
    header: t('notifications.log.result'),
    cell: ({ lastStatus, lastError }) =>
      lastStatus !== null ? (
        `HTTP ${lastStatus}`
      ) : lastError === null ? (
        <Nothing />
      ) : (
        reasonText(lastError, t)
      ),
    width: '11rem',
  },
  {
    id: 'attempts',
    header: t('notifications.log.attempts'),
    cell: ({ attempts }) => attempts,
    align: 'end',
    width: '6rem',
    hideBelow: 'lg',
  },
  {
    id: 'next',
    header: t('notifications.log.next'),
    cell: ({ nextAttemptAt }) => (nextAttemptAt === null ? '–' : <Time at={nextAttemptAt} inRow />),
    width: '8rem',
    hideBelow: 'lg',
  },
  {
    id: 'created',
    header: t('notifications.field.created'),
    cell: ({ createdAt }) => <Time at={createdAt} inRow className="text-muted" />,
    width: '8rem',
    hideBelow: 'md',
  },
]

function DeleteWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const t = useText()
  const navigate = useNavigate()
  const remove = useWrite('DELETE /webhooks/{webhookId}', { invalidates: ['GET /webhooks'] })
  return (
    <ConfirmForm
      danger
      onClose={onClose}
      title={t('notifications.delete.title', { webhook: webhook.title })}
      confirm={t('notifications.delete')}
      send={async () => {
        await remove.mutateAsync({ params: { webhookId: webhook.webhookId } })
        showToast({ text: t('notifications.delete.done') })
        void navigate(paths.notifications())
      }}
    >
      <p>{t('notifications.delete.text')}</p>
    </ConfirmForm>
  )
}
