import type { InboxReason } from '#contract/runtime-api/vocabulary.ts'
import { operationView } from '../../engine/views.ts'
import { loadOperations } from '../../store/events.ts'
import {
  countUnread,
  listNotifications,
  markNotifications,
  snoozeNotifications,
} from '../../store/inbox/notifications.ts'
import type { NotificationRow } from '../../store/inbox/notifications.ts'
import { loadBatches } from '../batches/read-batches.ts'
import { placeOf } from '../change-requests/steps.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { cursorInteger, cursorUuid, cursorValues, pageOf } from '../paging.ts'

const UNREAD_MAX = 100

/** The notifications of the actor, with their operations, batches, causes and change requests as they are now. */
export async function readInbox(
  { deps, actor }: ReadContext,
  { query }: Input<'GET /inbox'>,
): Promise<Answer<'GET /inbox'>> {
  const values = cursorValues(query.cursor, ['number', 'string'])
  const rows = await listNotifications(deps.db, actor, query.view, {
    after:
      values === null
        ? null
        : { microseconds: cursorInteger(values[0]), notificationId: cursorUuid(values[1]) },
    limit: query.limit + 1,
  })
  const ids = (of: 'operation_id' | 'batch_id') =>
    [...new Set(rows.map((row) => row[of]))].filter((id) => id !== null)
  const [operations, { batches, left }] = await Promise.all([
    loadOperations(deps.db, ids('operation_id')),
    loadBatches(deps.db, actor, ids('batch_id')),
  ])
  const operationOf = new Map(operations.map((row) => [row.operation_id, operationView(row)]))
  const batchOf = new Map(batches.map((batch) => [batch.batchId, batch]))
  const firstLeft = rows.findIndex(({ batch_id: id }) => id !== null && left.includes(id))
  return pageOf(firstLeft === -1 ? rows : rows.slice(0, firstLeft), query.limit, {
    item: (row: NotificationRow) => ({
      notificationId: row.notification_id,
      event: row.event,
      because: reasonOf(row),
      at: row.at,
      by: row.by_id === null ? null : { id: row.by_id, name: row.by_name ?? row.by_id },
      readAt: row.read_at,
      snoozedUntil: row.snoozed_until,
      operation: (row.operation_id === null ? undefined : operationOf.get(row.operation_id)) ?? null,
      batch: (row.batch_id === null ? undefined : batchOf.get(row.batch_id)) ?? null,
      cause:
        row.cause_id === null || row.error_code === null
          ? null
          : { causeId: row.cause_id, pluginId: row.plugin_id, errorCode: row.error_code },
      changeRequest:
        row.change_request_id === null || row.change === null
          ? null
          : {
              changeRequestId: row.change_request_id,
              title: row.change.title,
              state: row.change.state,
              failure: row.change.failure,
              ...(row.change.text !== null && { text: row.change.text }),
              scope: placeOf({ ...row.change, bundle_install_id: null }).scope,
            },
    }),
    valuesOf: (row) => [row.at_microseconds, row.notification_id],
    found: rows.length,
  })
}

export async function readUnread({ deps, actor }: ReadContext): Promise<Answer<'GET /inbox/unread'>> {
  return { unread: await countUnread(deps.db, actor, UNREAD_MAX) }
}

/** The table has no reasons of those who approved a change request or commented on it: they are notified as its followers. */
function reasonOf({ event, because }: NotificationRow): InboxReason {
  if (event === 'change.outdated') return 'approved'
  return event === 'change.commented' && because === 'followed' ? 'commented' : because
}

/** Marks notifications of the actor as read or unread. */
export async function markInbox(
  { deps, actor }: ReadContext,
  { body }: Input<'POST /inbox/mark'>,
): Promise<Answer<'POST /inbox/mark'>> {
  const { notificationIds, until, read } = body
  const chosen = until === undefined ? { notificationIds: notificationIds ?? [] } : { until }
  return { marked: await markNotifications(deps.db, actor.id, chosen, read) }
}

/** Sets notifications of the actor aside until a time. */
export async function snoozeInbox(
  { deps, actor }: ReadContext,
  { body: { notificationIds, until } }: Input<'POST /inbox/snooze'>,
): Promise<Answer<'POST /inbox/snooze'>> {
  return { snoozed: await snoozeNotifications(deps.db, actor.id, notificationIds, until) }
}
