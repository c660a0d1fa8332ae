import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Person } from '#contract/runtime-api/common.ts'
import type { ChangeRequest } from '#contract/runtime-api/change-requests.ts'
import type { ChangeState, InboxView } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import { inTransaction } from '#database/transaction.ts'
import type { Db, Tx } from '../../model/db.ts'
import type { InboxNotificationTable } from '../../model/inbox-tables.ts'
import { instantAt, microsecondsOf } from '../instants.ts'
import { isVisible, visibleScopes, visibleTo } from '../visible-scopes.ts'
import type { VisibleScopes } from '../visible-scopes.ts'

export type NotificationRow = Selectable<InboxNotificationTable> & {
  at_microseconds: number
  /** Those of the cause, if it reports one. */
  plugin_id: string | null
  error_code: string | null
  /** That of the change request, if it reports one. */
  change_request_id: string | null
  change: {
    title: string
    state: ChangeState
    failure: ChangeRequest['failure']
    text: string | null
    environment_key: string | null
    application_runtime_id: string | null
    workspace_id: number | null
  } | null
}

const VIEWS: Record<InboxView, ReturnType<typeof sql>> = {
  all: sql`snoozed_until is null`,
  unread: sql`read_at is null and snoozed_until is null`,
  snoozed: sql`snoozed_until is not null`,
}

/** The change request that a notification reports; null of any other. */
const CHANGE_REQUEST_ID = sql`case when notification.event like 'change.%' then split_part(notification.subject, '/', 1)::uuid end`

/** The entry of its history in which somebody said something; null if nobody could. */
const ENTRY_NUMBER = sql`case when notification.event in ('change.approved', 'change.rejected', 'change.commented')
  then split_part(notification.subject, '/', 2)::int end`

/** Of operations, causes and change requests only those that the person may still see. A batch is its maker's own. */
const mayStillSee = (actor: Actor, visible: VisibleScopes) => sql`(operation_id is null or exists (
  select from runtime.operation where operation.operation_id = notification.operation_id
    and ${visibleTo(actor, 'read', 'operation')}))
  and (notification.cause_id is null or exists (
    select from runtime.cause_failure as failed
    where failed.cause_id = notification.cause_id and ${isVisible(visible, 'failed')}))
  and (notification.event not like 'change.%' or not exists (
    select from runtime.change_request_scope as place
    where place.change_request_id = ${CHANGE_REQUEST_ID} and not ${visibleTo(actor, 'read', 'place')}))`

/** The notifications of the person, newest first. */
export async function listNotifications(
  db: Db,
  actor: Actor,
  view: InboxView,
  { after, limit }: { after: { microseconds: number; notificationId: string } | null; limit: number },
): Promise<NotificationRow[]> {
  const visible = await visibleScopes(db, actor, 'read', {})
  const { rows } = await sql<NotificationRow>`
    select notification.*, ${microsecondsOf('at')} as at_microseconds, cause.plugin_id, cause.error_code,
      ${CHANGE_REQUEST_ID} as change_request_id,
      (select json_build_object('title', request.title, 'state', request.state,
        'failure', case when request.code is not null then json_strip_nulls(json_build_object(
          'errorCode', request.code, 'message', request.message, 'parameters', request.parameters)) end,
        'text', (select text from runtime.change_entry as entry
          where entry.change_request_id = request.change_request_id and entry.number = ${ENTRY_NUMBER}),
        'environment_key', request.environment_key,
        'application_runtime_id', request.application_runtime_id, 'workspace_id', request.workspace_id)
        from runtime.change_request as request where request.change_request_id = ${CHANGE_REQUEST_ID}) as change
    from runtime.inbox_notification as notification
    left join runtime.cause as cause on cause.cause_id = notification.cause_id
    where person_id = ${actor.id} and ${VIEWS[view]} and ${mayStillSee(actor, visible)}
      and ${after === null ? sql`true` : sql`(at, notification_id) < (${instantAt(after.microseconds)}, ${after.notificationId}::uuid)`}
    order by at desc, notification_id desc
    limit ${limit}`.execute(db)
  return rows
}

/** How many the person has not read, up to `most`. */
export async function countUnread(db: Db, actor: Actor, most: number): Promise<number> {
  const visible = await visibleScopes(db, actor, 'read', {})
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select from runtime.inbox_notification as notification
      where person_id = ${actor.id} and ${VIEWS.unread} and ${mayStillSee(actor, visible)} limit ${most}) as unread`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** Which of the person's own notifications. */
export type Chosen = { notificationIds: readonly string[] } | { until: string }

const isChosen = (personId: string, chosen: Chosen) =>
  'until' in chosen
    ? sql`person_id = ${personId} and snoozed_until is null and date_trunc('milliseconds', at) <= ${chosen.until}::timestamptz`
    : sql`person_id = ${personId} and notification_id = any(${[...chosen.notificationIds]}::uuid[])`

/** Marks as read, or as unread. Returns how many have changed. */
export async function markNotifications(
  db: Db,
  personId: string,
  chosen: Chosen,
  isRead: boolean,
): Promise<number> {
  const result = await sql`
    update runtime.inbox_notification set read_at = ${isRead ? sql`clock_timestamp()` : sql`null`}
    where ${isChosen(personId, chosen)} and (read_at is null) = ${isRead}`.execute(db)
  return Number(result.numAffectedRows ?? 0)
}

/** Sets aside until a time, or brings back as unread. */
export async function snoozeNotifications(
  db: Db,
  personId: string,
  notificationIds: readonly string[],
  until: string | null,
): Promise<number> {
  const result = await sql`
    update runtime.inbox_notification set snoozed_until = ${until}::timestamptz, read_at = null
    where ${isChosen(personId, { notificationIds })}`.execute(db)
  return Number(result.numAffectedRows ?? 0)
}

/** Notifies a person that somebody else assigned operations to them. Again, if one was assigned to another person meanwhile. */
export async function notifyAssignee(
  tx: Tx,
  operationIds: readonly string[],
  { assignee, by }: { assignee: Person; by: Person },
): Promise<void> {
  await sql`
    insert into runtime.inbox_notification (person_id, event, because, subject, operation_id, by_id, by_name)
    select ${assignee.id}, 'operation.assigned', 'assigned', operation_id, operation_id, ${by.id}, ${by.name}
    from unnest(${[...operationIds]}::uuid[]) as assigned (operation_id)
    on conflict (person_id, event, subject) do update set
      at = clock_timestamp(), read_at = null, snoozed_until = null, by_id = excluded.by_id, by_name = excluded.by_name`.execute(
    tx,
  )
}

/** Notifies those who wrote a request that not everything that it started has succeeded, except who applied it: a batch reports to them. */
export async function notifyAuthors(tx: Tx, changeRequestId: string): Promise<void> {
  await sql`
    insert into runtime.inbox_notification (person_id, event, because, subject)
    select author_id, 'change.refused', 'requested', change_request_id || '/end'
    from runtime.change_request as request cross join lateral unnest(request.author_ids) as author_id
    where change_request_id = ${changeRequestId}::uuid and not exists (
      select from runtime.change_entry as entry where entry.change_request_id = request.change_request_id
        and event in ('APPLYING', 'OVERRIDDEN') and by_id = author_id)
    on conflict (person_id, event, subject) do nothing`.execute(tx)
}

/** Emits an event for each operation in `told`, at which the readers of inboxes look again. */
const EMIT_OPERATIONS = sql`
    insert into runtime.event (kind, scope_id, object_id)
    select distinct 'operation', operation.scope_id, operation.operation_id::text
    from told join runtime.operation using (operation_id)`

/** How long after its time a failure is still escalated, in minutes, if no replica ran. */
const ESCALATED_LATE_MAX = 1_440

/** How many follows one statement escalates. */
export const ESCALATED_AT_ONCE = 100

/**
 * Notifies of failures that had no assignee for as long as a follower allows, each person once for each run: of part after part of the
 * follows, at most 500 of each part in one call. A failure from before the follow is left out: a person who follows a scope has seen what
 * was failed. Notifies followers whose escalation has ended. A part that fails, such as one that takes too long, keeps no other from it.
 */
export async function escalate(db: Db): Promise<void> {
  const errors: unknown[] = []
  let follows = await nextEscalating(db, null)
  while (follows.length > 0) {
    const part = follows
    await whereAlone(db, (tx) => notifyWithoutAssignee(tx, part)).catch((error: unknown) =>
      errors.push(error),
    )
    follows = await nextEscalating(db, part.at(-1) ?? null)
  }
  await whereAlone(db, notifyEnded)
  if (errors.length > 0) throw errors[0]
}

/** One replica at a time: the others would find the same. */
async function whereAlone(db: Db, notify: (tx: Tx) => Promise<void>): Promise<void> {
  await inTransaction(db, async (tx) => {
    const { rows } = await sql<{ isMine: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended('escalations', 0)) as "isMine"`.execute(tx)
    if (rows[0]?.isMine === true) await notify(tx)
  })
}

/** The next follows that escalate, after one of them. */
async function nextEscalating(db: Db, after: string | null): Promise<string[]> {
  const { rows } = await sql<{ follow_id: string }>`
    select follow_id from runtime.follow
    where escalate_after_minutes is not null and escalates_until > clock_timestamp()
      and (${after}::uuid is null or follow_id > ${after}::uuid)
    order by follow_id limit ${ESCALATED_AT_ONCE}`.execute(db)
  return rows.map(({ follow_id }) => follow_id)
}

async function notifyWithoutAssignee(tx: Tx, followIds: readonly string[]): Promise<void> {
  await sql`
    with told as (insert into runtime.inbox_notification (person_id, event, because, subject, operation_id, by_id, by_name)
    select distinct on (listed.person_id, operation.operation_id) listed.person_id, 'operation.escalated',
      case when listed.person_id = follow.person_id then 'followed' else 'listed' end,
      operation.operation_id || '/' || operation.run, operation.operation_id, follow.person_id, follow.person_name
    from runtime.follow
    cross join lateral (
      select * from runtime.operation
      where follow.kind = 'cause' and operation.cause_id = follow.object_id and operation.state = 'FAILED'
      union all
      select * from runtime.operation
      where operation.scope_id = follow.scope_id and operation.state = 'FAILED'
        and follow.object_id = case follow.kind when 'scope' then operation.scope_id::text
          when 'installation' then operation.bundle_install_id::text else operation.operation_id::text end
    ) as operation
    left join runtime.cause on cause.cause_id = operation.cause_id
    cross join lateral (
      select person ->> 'id' as person_id from json_array_elements(follow.escalate_to) as person
      union all
      select follow.person_id where json_array_length(follow.escalate_to) = 0
    ) as listed
    where follow.follow_id = any(${[...followIds]}::uuid[])
      -- who takes a cause takes its failures
      and operation.assignee_id is null and cause.assignee_id is null
      and operation.finished_at > follow.created_at
      and operation.finished_at < clock_timestamp() - make_interval(mins => follow.escalate_after_minutes)
      and operation.finished_at > clock_timestamp() - make_interval(mins => follow.escalate_after_minutes + ${ESCALATED_LATE_MAX})
      and not exists (
        select from runtime.inbox_notification as told
        where told.person_id = listed.person_id and told.event = 'operation.escalated'
          and told.subject = operation.operation_id || '/' || operation.run)
      -- nor what a full inbox has lost
      and not exists (
        select from runtime.inbox_notification as newer
        where newer.person_id = listed.person_id
          and newer.at > operation.finished_at + make_interval(mins => follow.escalate_after_minutes)
        order by newer.at desc offset ${KEPT_MAX - 1} limit 1)
    limit 500
    on conflict (person_id, event, subject) do nothing returning operation_id)
    ${EMIT_OPERATIONS}`.execute(tx)
}

async function notifyEnded(tx: Tx): Promise<void> {
  await sql`
    insert into runtime.inbox_notification (person_id, event, because, subject)
    select person_id, 'escalation.ended', 'followed', follow_id || '/' || escalates_until from runtime.follow
    where escalate_after_minutes is not null
      and escalates_until between clock_timestamp() - make_interval(mins => ${ESCALATED_LATE_MAX}) and clock_timestamp()
    on conflict (person_id, event, subject) do nothing`.execute(tx)
}

/**
 * Notifies of followed operations that succeeded, and ends the following of those that are over. Looked for from time to time,
 * because a success must not cost a look at what is followed.
 */
export async function endFollowedOperations(db: Db): Promise<void> {
  await sql`
    with over as materialized (
      select follow.follow_id, follow.person_id, operation.operation_id, operation.run, operation.state
      from runtime.follow join runtime.operation on operation.operation_id = follow.object_id::uuid
      where follow.kind = 'operation' and operation.state in ('SUCCEEDED', 'TAKEN_OVER') limit 500
    ), told as (
      insert into runtime.inbox_notification (person_id, event, because, subject, operation_id)
      select person_id, 'operation.succeeded', 'followed', operation_id || '/' || run, operation_id
      from over where state = 'SUCCEEDED'
      on conflict (person_id, event, subject) do nothing returning operation_id
    ), ended as (delete from runtime.follow using over where follow.follow_id = over.follow_id)
    ${EMIT_OPERATIONS}`.execute(db)
  // retention has removed them
  await sql`
    delete from runtime.follow where kind = 'operation'
      and not exists (select from runtime.operation where operation.operation_id = follow.object_id::uuid)`.execute(
    db,
  )
}

/** Brings back what was snoozed until now, as unread. */
export async function wakeNotifications(db: Db): Promise<void> {
  await sql`
    update runtime.inbox_notification set snoozed_until = null, read_at = null
    where snoozed_until <= clock_timestamp()`.execute(db)
}

const KEPT_DAYS = 90
/** Of each person, the newest; first of all, this many of what each other person did. */
export const KEPT_MAX = 1_000
const KEPT_OF_ONE = 200

/** Deletes a part of the notifications that are old, or more than a person can look through. */
export async function deleteOldNotifications(db: Db): Promise<void> {
  await sql`
    delete from runtime.inbox_notification where notification_id in (
      select notification_id from runtime.inbox_notification
      where at < clock_timestamp() - make_interval(days => ${KEPT_DAYS}) limit 1000)`.execute(db)
  await sql`
    delete from runtime.inbox_notification where notification_id in (
      select surplus.notification_id
      from (select person_id from runtime.inbox_notification group by person_id having count(*) > ${KEPT_MAX}) as full_inbox
      cross join lateral (
        -- one person who comments or assigns a thousand times does not remove what the others have to say; nobody makes escalations
        select notification_id from (
          select notification_id, at, by_id is not null and event <> 'operation.escalated'
            and row_number() over (partition by by_id, event = 'operation.escalated' order by at desc, notification_id desc) > ${KEPT_OF_ONE} as is_one_of_many
          from runtime.inbox_notification as old where old.person_id = full_inbox.person_id) as old
        order by is_one_of_many, at desc, notification_id desc offset ${KEPT_MAX} limit 1000) as surplus)`.execute(
    db,
  )
}
