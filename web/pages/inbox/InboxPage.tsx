import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { inboxCall } from '#contract/console-api/pages/inbox.ts'
import { omitUndefined } from '#contract/console-api/pages/search-params.ts'
import type { InboxNotification } from '#contract/console-api/shapes.ts'
import { INBOX_VIEWS } from '#contract/console-api/vocabulary.ts'
import { paths } from '../../addresses/paths.ts'
import { apiQuery } from '../../api/query.ts'
import { useMay } from '../../api/session.ts'
import { useWrite } from '../../api/write.ts'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { batchStateText, lookOfBatch } from '../../subjects/batch/batch-looks.ts'
import { failureTitle } from '../../subjects/operations/describe-failure.ts'
import { changeStateText, lookOfChange } from '../../subjects/change-requests/change-looks.ts'
import { ScopeText } from '../../subjects/scopes/ScopeText.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/class-names.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { PlainLink, TextLink } from '../../ui/Link.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Nothing } from '../../ui/Nothing.tsx'
import { SegmentedControl } from '../../ui/SegmentedControl.tsx'
import { OperationBadge } from '../../ui/StateBadge.tsx'
import type { Column } from '../../ui/table/column.ts'
import { QueryTable } from '../../ui/table/QueryTable.tsx'
import { Time } from '../../ui/Time.tsx'
import { FollowsTable } from './FollowsTable.tsx'
import { notificationText } from './inbox-texts.ts'
import { INVALIDATES, NotificationActions } from './NotificationActions.tsx'

const route = getRouteApi('/inbox')

/** The notifications of the person, and what they follow. */
export function InboxPage() {
  const t = useText()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const view = search.view ?? 'all'
  const query = useQuery({
    ...apiQuery('GET /inbox', inboxCall(search)),
    placeholderData: keepPreviousData,
    enabled: view !== 'follows',
  })
  const mark = useWrite('POST /inbox/mark', { invalidates: INVALIDATES })
  const newest = query.data?.items[0]?.at
  const views = [...INBOX_VIEWS, 'follows'] as const
  return (
    <Page
      title={t('inbox.title')}
      lead={t('inbox.about')}
      actions={
        view !== 'follows' && (
          <Button
            icon="check"
            busy={mark.isPending}
            disabledReason={
              query.data?.items.every(({ readAt }) => readAt !== null) !== false && t('inbox.allRead')
            }
            onClick={() => newest !== undefined && mark.mutate({ body: { until: newest, read: true } })}
          >
            {t('inbox.markAll')}
          </Button>
        )
      }
    >
      <WaitingForMe />
      <div className="mb-3 flex">
        <SegmentedControl
          label={t('inbox.view')}
          value={view}
          options={views.map((value) => ({ value, label: t(`inbox.view.${value}`) }))}
          onChange={(next) =>
            void navigate({
              search: omitUndefined({ view: next === 'all' ? undefined : next }),
              replace: true,
            })
          }
        />
      </div>
      {view === 'follows' ? <FollowsTable /> : <Notifications query={query} search={search} />}
    </Page>
  )
}

/** The change requests that the person may approve: they stay until somebody has decided. Nothing, without any. */
function WaitingForMe() {
  const t = useText()
  const may = useMay('change:approve', 'anywhere')
  const search = { waiting: 'me' } as const
  const { data } = useQuery({
    ...apiQuery('GET /change-requests', { query: { ...search, limit: WAITING_MAX + 1 } }),
    enabled: may,
  })
  const items = data?.items ?? []
  if (items.length === 0) return null
  return (
    <Notice icon="review" title={t('changes.waiting.inbox')} className="mb-4">
      <ul className="mt-1 space-y-0.5">
        {items.slice(0, WAITING_MAX).map(({ changeRequestId, title, createdBy }) => (
          <li key={changeRequestId} className="flex flex-wrap items-baseline gap-x-2">
            <TextLink to={paths.changeRequest(changeRequestId)}>{title}</TextLink>
            <span className="text-muted">{createdBy.name}</span>
          </li>
        ))}
      </ul>
      {items.length > WAITING_MAX && (
        <TextLink to={paths.changeRequests(search)}>{t('changes.waiting.all')}</TextLink>
      )}
    </Notice>
  )
}
const WAITING_MAX = 5

type InboxQuery = Parameters<typeof QueryTable<InboxNotification>>[0]['query']

function Notifications({ query, search }: { query: InboxQuery; search: ReturnType<typeof route.useSearch> }) {
  const t = useText()
  const columns = useMemo(() => inboxColumns(t), [t])
  const { view, cursor } = search
  return (
    <QueryTable
      label={t('inbox.title')}
      query={query}
      columns={columns}
      rowKey={rowKey}
      cursor={cursor}
      pageLink={(at) => ({ ...paths.inbox(omitUndefined({ ...search, cursor: at })), state: true })}
      lines={2}
      empty={
        <EmptyState
          icon="notifications"
          title={t(
            view === 'unread'
              ? 'inbox.none.unread'
              : view === 'snoozed'
                ? 'inbox.none.snoozed'
                : 'inbox.none.title',
          )}
          message={t('inbox.none.message')}
        />
      }
    />
  )
}

const rowKey = ({ notificationId }: InboxNotification) => notificationId

const inboxColumns = (t: Translate): Column<InboxNotification>[] => [
  { id: 'what', header: t('inbox.field.what'), cell: (row) => <What row={row} /> },
  {
    id: 'state',
    header: t('inbox.field.state'),
    cell: ({ operation, batch, changeRequest }) =>
      changeRequest !== null ? (
        <Badge look="plain" {...lookOfChange(changeRequest)}>
          {changeStateText(changeRequest, t)}
        </Badge>
      ) : operation !== null ? (
        <OperationBadge state={operation.state} />
      ) : batch !== null ? (
        <Badge look="plain" {...lookOfBatch(batch)}>
          {batchStateText(batch, t)}
        </Badge>
      ) : (
        <Nothing />
      ),
    width: '8rem',
    card: 'plain',
  },
  {
    id: 'scope',
    header: t('inbox.field.scope'),
    cell: ({ operation, changeRequest }) => {
      const scope = operation?.installation ?? changeRequest?.scope ?? null
      return scope === null ? <Nothing /> : <ScopeText scope={scope} />
    },
    width: '14rem',
    hideBelow: 'lg',
    card: 'plain',
  },
  {
    id: 'at',
    header: t('inbox.field.at'),
    cell: ({ at, snoozedUntil }) => <Time at={snoozedUntil ?? at} inRow />,
    width: '8.25rem',
    card: 'plain',
  },
  {
    id: 'actions',
    header: t('inbox.field.actions'),
    headerHidden: true,
    cell: (row) => <NotificationActions notification={row} />,
    width: '4rem',
    align: 'end',
    card: 'plain',
  },
]

/** What happened, why the person is notified, and what failed. Opening it marks it as read. */
function What({ row }: { row: InboxNotification }) {
  const t = useText()
  const mark = useWrite('POST /inbox/mark', { invalidates: INVALIDATES })
  const { text, to } = notificationText(row, t)
  const isUnread = row.readAt === null
  const failure = row.operation?.failure ?? null
  const read = () => isUnread && mark.mutate({ body: { notificationIds: [row.notificationId], read: true } })
  return (
    <div className="flex min-w-0 items-baseline gap-2">
      <span
        aria-hidden="true"
        className={cx(
          'size-2 shrink-0 rounded-full',
          isUnread ? 'bg-accent forced-colors:border-4' : 'bg-transparent',
        )}
      />
      <div className="min-w-0">
        <p className={cx('wrap-anywhere', isUnread ? 'font-semibold' : 'text-muted')}>
          {isUnread && <span className="sr-only">{t('inbox.isUnread')} </span>}
          {to === null ? (
            text
          ) : (
            <PlainLink to={to} onClick={read} className="rounded-sm hover:underline">
              {text}
            </PlainLink>
          )}
        </p>
        {row.changeRequest?.text !== undefined && (
          <p className="line-clamp-2 border-l-2 border-line pl-2 wrap-anywhere">{row.changeRequest.text}</p>
        )}
        <p className="truncate text-xs text-muted @max-[40rem]/table:whitespace-normal">
          {t(`inbox.because.${row.because}`)}
          {failure !== null && <> · {failureTitle(failure, t)}</>}
        </p>
      </div>
    </div>
  )
}
