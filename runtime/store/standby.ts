import { sql } from 'kysely'
import type { Db } from '../model/db.ts'

/** What the primary has committed: a position in its write-ahead log, and which server it is. */
export interface PrimaryPosition {
  /** `pg_lsn` as text. */
  position: string
  /** As of the last recovery; null on a server that does not reveal it. */
  identity: string | null
  /** False between a failover and its recovery. */
  isSame: boolean
}

/**
 * Everything that was committed before this statement lies before the position. Where commits do not wait for the disk, some are beyond
 * what is flushed; otherwise the flushed position is what a standby can have, and what others wrote beyond it is not committed.
 */
export async function readPrimaryPosition(db: Db): Promise<PrimaryPosition> {
  const { rows } = await sql<PrimaryPosition>`
    select (case when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn()
        else pg_current_wal_flush_lsn() end)::text as position,
      identity, runtime.is_same_server() as "isSame"
    from runtime.server_identity`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('the statement returned no row')
  return row
}

export interface StandbyState {
  isStandby: boolean
  /** Whether the next statement on this connection sees what the primary had committed at the position. */
  hasReached: boolean
}

/** A standby that was left on an earlier timeline may be beyond the position; it lacks the identity that the recovery wrote. */
export async function readStandbyState(
  db: Db,
  { position, identity }: Pick<PrimaryPosition, 'position' | 'identity'>,
): Promise<StandbyState> {
  const { rows } = await sql<StandbyState>`
    select pg_is_in_recovery() as "isStandby",
      coalesce(pg_last_wal_replay_lsn() >= ${position}::pg_lsn, false)
        and exists (select from runtime.server_identity where identity is not distinct from ${identity}::text)
        as "hasReached"`.execute(db)
  return rows[0] ?? { isStandby: false, hasReached: false }
}
