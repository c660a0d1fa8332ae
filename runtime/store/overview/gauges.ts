import { sql } from 'kysely'
import type { Db } from '../../model/db.ts'
import type { Position } from '../events.ts'
import { isPaused } from '../operations/calls.ts'

/** The delay of work and events in seconds; zero if nothing is pending. */
interface Lags {
  /** Since the longest due operation became due that no worker has leased and that is not paused. */
  due: number
  /** Unfinished operations that are paused, or whose scope or next plugin is. */
  paused: number
  /** Since the oldest event was emitted that this replica has not delivered. */
  feed: number
  /** Operations that were in progress when the database went back in time, and still hold their claim. */
  inDoubt: number
  /** Since the oldest operation was created that still locks its installation. */
  lock: number
  /** Since the failure of the operation that has waited longest for an assignee. */
  unassigned: number
  /** How long the session that has waited longest for a lock in this database has waited. */
  lockWait: number
}

/** `passedOn`: the last position that this replica's feed has delivered; null without subscribers. */
export async function readLags(db: Db, passedOn: Position | null): Promise<Lags> {
  const result = await sql<Lags>`
    select
      coalesce((
        select extract(epoch from clock_timestamp() - min(available_at))
        from runtime.operation
        where state in ('PENDING', 'RUNNING', 'WAITING') and available_at <= clock_timestamp()
          and not ${isPaused('operation')}), 0)::float8 as due,
      (select count(*) from runtime.operation
        where state in ('PENDING', 'RUNNING', 'WAITING') and ${isPaused('operation')})::int4 as paused,
      coalesce((
        select extract(epoch from clock_timestamp() - at)
        from runtime.event
        where (event_xid, event_id) > (${passedOn?.xid ?? null}::text::xid8, ${passedOn?.eventId ?? null}::bigint)
        order by event_xid, event_id
        limit 1), 0)::float8 as feed,
      (select count(*) from runtime.operation
        where in_doubt_since is not null and holds_claim)::int4 as "inDoubt",
      coalesce((
        select extract(epoch from clock_timestamp() - min(created_at))
        from runtime.operation
        where holds_claim), 0)::float8 as lock,
      coalesce((
        select extract(epoch from clock_timestamp() - min(finished_at))
        from runtime.operation
        where holds_claim and state = 'FAILED' and assignee_id is null), 0)::float8 as unassigned,
      -- a wait for a row is a wait for a transaction, which belongs to no database in pg_locks; its session does
      coalesce((
        select extract(epoch from clock_timestamp() - min(lock.waitstart))
        from pg_locks lock join pg_stat_activity session using (pid)
        where not lock.granted and session.datname = current_database()), 0)::float8 as "lockWait"`.execute(
    db,
  )
  return result.rows[0] ?? { due: 0, paused: 0, feed: 0, inDoubt: 0, lock: 0, unassigned: 0, lockWait: 0 }
}

/** The bytes that the database takes on the disk of its server. */
export async function readDatabaseSize(db: Db): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select pg_database_size(current_database())::float8 as bytes`.execute(db)
  return rows[0]?.bytes ?? 0
}
