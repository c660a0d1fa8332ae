import { sql } from 'kysely'
import type { Tx, Db } from '../model/db.ts'
import type { OperationRow } from '../model/operation.ts'
import { callAttempts, installationTitle, obstacleOf } from './operations/calls.ts'

interface Emitted {
  kind: 'operation' | 'installation' | 'configuration'
  scopeId: number
  objectId: string
  /** The snapshot version of a configuration. */
  version?: number
}

/** How many events, to replay or to emit, cost as much as a request. */
export const EVENTS_FOR_ONE = 10

/** Emits events in the transaction of the change. Readers load the current row when they deliver the event. */
export async function emitEvents(tx: Tx, events: readonly Emitted[]): Promise<void> {
  if (events.length === 0) return
  const rows = events.map(
    (event) => sql`(${event.kind}, ${event.scopeId}, ${event.objectId}, ${event.version ?? null}::bigint)`,
  )
  await sql`
    insert into runtime.event (kind, scope_id, object_id, version)
    values ${sql.join(rows)}`.execute(tx)
}

export const CHANNELS = { events: 'bundle_runtime_events', work: 'bundle_runtime_work' } as const

/**
 * Wakes the other replicas: there are new events and, with `work`, due operations. The payload is only `sender`. Runs
 * in its own transaction, because in the transaction of a change it would serialize all commits.
 */
export async function notifyReplicas(db: Db, sender: string, work: boolean): Promise<void> {
  const channels = work ? [CHANNELS.events, CHANNELS.work] : [CHANNELS.events]
  await sql`select pg_notify(channel, ${sender}) from unnest(${channels}::text[]) as channel`.execute(db)
}

/**
 * A position in the event order: the epoch, the transaction, then the event in it. As text it is the `id` of a
 * server-sent event.
 */
export interface Position {
  /**
   * The last recovery of the database in microseconds since 1970; 0 before the first. Transactions of another epoch may
   * be lost, so positions in it mean nothing.
   */
  epoch: string
  /** A 64-bit transaction id as text, because it may exceed a safe integer. */
  xid: string
  eventId: number
}

/** The current epoch, for a query of `runtime.server_identity`. */
const EPOCH = sql<string>`coalesce((extract(epoch from recovered_at) * 1000000)::bigint, 0)::text`

/** The epoch is omitted while it is 0. */
export function formatPosition({ epoch, xid, eventId }: Position): string {
  return epoch === '0' ? `${xid}-${eventId}` : `${xid}-${eventId}-${epoch}`
}

/** Returns the position in a `Last-Event-ID`, or null if the text is not a valid position. */
export function parsePosition(text: string): Position | null {
  const [, xid, id, epoch = '0'] = /^(\d{1,19})-(\d{1,15})(?:-([1-9]\d{0,17}))?$/.exec(text) ?? []
  return xid === undefined || id === undefined ? null : { epoch, xid, eventId: Number(id) }
}

/** Whether `a` comes after `b`. */
export function isAfter(a: Position, b: Position): boolean {
  const [first, second] =
    a.epoch === b.epoch ? [BigInt(a.xid), BigInt(b.xid)] : [BigInt(a.epoch), BigInt(b.epoch)]
  return first === second ? a.eventId > b.eventId : first > second
}

/** Returns the position of the last event that a reader can see now; that before all events if there is none. */
export async function newestPosition(db: Db): Promise<Position> {
  const result = await sql<Position>`
    select ${EPOCH} as epoch, coalesce(newest.event_xid::text, '0') as xid, coalesce(newest.event_id, 0) as "eventId"
    from runtime.server_identity
    left join lateral (
      select event_xid, event_id
      from runtime.event
      where event_xid < pg_snapshot_xmin(pg_current_snapshot())
      order by event_xid desc, event_id desc
      limit 1
    ) as newest on true`.execute(db)
  return result.rows[0] ?? { epoch: '0', xid: '0', eventId: 0 }
}

/**
 * Whether all events after a position are still stored. They are not if the database was recovered since, if events
 * beyond the position were pruned (pruning always keeps the last one), or if this database never had an event at the
 * position.
 */
export async function isResumable(db: Db, { epoch, xid, eventId }: Position): Promise<boolean> {
  const result = await sql<{ is_current: boolean; is_kept: boolean | null; is_known: boolean | null }>`
    select ${EPOCH} = ${epoch} as is_current,
      (select (event_xid, event_id) <= (${xid}::text::xid8, ${eventId}::bigint)
        from runtime.event order by event_xid, event_id limit 1) as is_kept,
      (select (event_xid, event_id) >= (${xid}::text::xid8, ${eventId}::bigint)
        from runtime.event order by event_xid desc, event_id desc limit 1) as is_known
    from runtime.server_identity`.execute(db)
  const [row] = result.rows
  return row?.is_current === true && row.is_kept === true && row.is_known === true
}

export interface EventRow {
  event_xid: string
  event_id: number
  kind: 'operation' | 'installation' | 'configuration'
  scope_id: number
  object_id: string
  version: number | null
}

/**
 * Returns the next events after a position, from transactions older than every running one. A transaction that
 * commits later has a greater id, so no event can later appear before a position that was read. Returns null if the
 * database was recovered since the position.
 */
export async function readEvents(db: Db, after: Position, limit: number): Promise<EventRow[] | null> {
  const result = await sql<{ is_current: boolean } & (EventRow | { kind: null })>`
    select ${EPOCH} = ${after.epoch} as is_current, event.event_xid::text, event_id, kind, scope_id, object_id, version
    from runtime.server_identity
    left join lateral (
      select * from runtime.event
      where (event_xid, event_id) > (${after.xid}::text::xid8, ${after.eventId}::bigint)
        and event_xid < pg_snapshot_xmin(pg_current_snapshot())
      order by event_xid, event_id
      limit ${limit}
    ) as event on true
    order by event.event_xid, event_id`.execute(db)
  if (result.rows[0]?.is_current === false) return null
  return result.rows.flatMap((row) => (row.kind === null ? [] : [row]))
}

interface ConfigurationRow {
  scope_id: number
  environment_key: string
  application_runtime_id: string
  workspace_id: number
  snapshot_version: number
  saved_at: string
  saved_by_id: string
  saved_by_name: string
  locators: string[]
}

/** For each scope, returns the last of the given snapshots with the resources that any of them changed. */
export async function loadConfigurations(
  db: Db,
  snapshots: readonly { scopeId: number; from: number; to: number }[],
): Promise<ConfigurationRow[]> {
  if (snapshots.length === 0) return []
  const result = await sql<ConfigurationRow>`
    select scope.scope_id, scope.environment_key, scope.application_runtime_id, scope.workspace_id,
      snapshot.snapshot_version, snapshot.saved_at, snapshot.saved_by_id, snapshot.saved_by_name,
      array(
        select distinct change.locator from runtime.snapshot_change as change
        where change.scope_id = scope.scope_id and change.snapshot_version between asked."from" and asked."to"
        order by change.locator
      ) as locators
    from json_to_recordset(${JSON.stringify(snapshots)}::json) as asked("scopeId" bigint, "from" bigint, "to" bigint)
    join runtime.scope as scope on scope.scope_id = asked."scopeId"
    join runtime.snapshot as snapshot
      on snapshot.scope_id = scope.scope_id and snapshot.snapshot_version = asked."to"`.execute(db)
  return result.rows
}

/** Returns the given operations with the number of attempts of their current calls, unordered. */
export function loadOperations(
  db: Db,
  operationIds: readonly string[],
): Promise<(OperationRow & { call_attempts: number; installation_title: string })[]> {
  return db
    .selectFrom('runtime.operation as operation')
    .selectAll('operation')
    .select(callAttempts().as('call_attempts'))
    .select(installationTitle().as('installation_title'))
    .select(obstacleOf('operation').as('obstacle'))
    .where('operation_id', '=', sql<string>`any(${[...operationIds]}::uuid[])`)
    .execute()
}

/**
 * Deletes events older than 24 hours. Keeps the last of them, which shows whether a reader has missed events. Returns
 * the number of deleted events, at most `limit`.
 */
export async function pruneEvents(db: Db, limit: number): Promise<number> {
  const result = await sql`
    with horizon as (
      select event_xid, event_id from runtime.event
      where at < clock_timestamp() - interval '24 hours'
      order by at desc, event_xid desc, event_id desc
      limit 1
    ), doomed as (
      select event.event_xid, event.event_id
      from runtime.event, horizon
      where (event.event_xid, event.event_id) < (horizon.event_xid, horizon.event_id)
      order by event.event_xid, event.event_id
      limit ${limit}
    )
    delete from runtime.event using doomed
    where event.event_xid = doomed.event_xid and event.event_id = doomed.event_id`.execute(db)
  return Number(result.numAffectedRows ?? 0)
}
