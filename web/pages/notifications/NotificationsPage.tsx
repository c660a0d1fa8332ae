import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { webhooksCall } from '#contract/console-api/pages/notifications.ts'
import type { Webhook } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'
import { useMay, useSession } from '../../api/session.ts'
import { Badge } from '../../ui/Badge.tsx'
import { EnabledBadge } from '../../ui/StateBadge.tsx'
import { QueryTable } from '../../ui/table/QueryTable.tsx'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths } from '../../addresses/paths.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Mono } from '../../ui/Id.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Forbidden } from './Forbidden.tsx'
import { coverageText, eventsText } from './webhook-form.ts'
import { WebhookDialog } from './WebhookDialog.tsx'

/** The webhooks that report what happens to operations and batches. */
export function NotificationsPage() {
  const t = useText()
  const session = useSession()
  const may = useMay('notification:write', 'everywhere')
  const [creating, setCreating] = useState(false)
  const query = useQuery({ ...apiQuery('GET /webhooks', webhooksCall), enabled: may })
  const columns = useMemo(() => webhookColumns(t), [t])
  if (session.data && !may) return <Forbidden />
  return (
    <Page
      title={t('notifications.title')}
      lead={t('notifications.about')}
      actions={
        <Button variant="primary" icon="plus" onClick={() => setCreating(true)}>
          {t('notifications.create')}
        </Button>
      }
    >
      <QueryTable
        label={t('notifications.list')}
        query={query}
        columns={columns}
        rowKey={rowKey}
        rowLink={rowLink}
        skeletonRows={3}
        empty={
          <EmptyState
            icon="notifications"
            title={t('notifications.none.title')}
            message={t('notifications.none.message')}
          />
        }
      />
      {creating && <WebhookDialog webhook={null} onClose={() => setCreating(false)} />}
    </Page>
  )
}

const rowKey = ({ webhookId }: Webhook) => webhookId
const rowLink = ({ webhookId }: Webhook) => paths.notification(webhookId)

const webhookColumns = (t: Translate): Column<Webhook>[] => [
  {
    id: 'title',
    header: t('notifications.field.title'),
    cell: ({ title }) => <span className="block wrap-anywhere whitespace-normal">{title}</span>,
  },
  {
    id: 'url',
    header: t('notifications.field.url'),
    cell: ({ url }) => <Mono className="text-muted">{url}</Mono>,
    card: 'line',
  },
  {
    id: 'events',
    header: t('notifications.field.events'),
    cell: (webhook) => eventsText(webhook, t),
    card: 'wide',
    hideBelow: 'lg',
  },
  {
    id: 'scope',
    header: t('notifications.field.scope'),
    cell: (webhook) => coverageText(webhook, t),
    width: '11rem',
  },
  {
    id: 'enabled',
    header: t('notifications.field.state'),
    cell: (webhook) => <WebhookState webhook={webhook} />,
    width: '8rem',
    card: 'plain',
  },
]

export function WebhookState({ webhook, look }: { webhook: Webhook; look?: 'pill' }) {
  const t = useText()
  const { enabled, failingSince } = webhook
  if (enabled && failingSince !== null) {
    return (
      <Tooltip text={t('notifications.failing.title')}>
        {(target) => (
          <Badge {...target} tone="fail" icon="failed" look={look ?? 'plain'}>
            {t('notifications.failing')}
          </Badge>
        )}
      </Tooltip>
    )
  }
  return (
    <EnabledBadge
      enabled={enabled}
      {...(look && { look })}
      word={t(enabled ? 'notifications.enabled' : 'notifications.disabled')}
      meaning={t(enabled ? 'notifications.enabled.meaning' : 'notifications.disabled.meaning')}
    />
  )
}
