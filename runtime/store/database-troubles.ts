import { sql } from 'kysely'
import { inTransaction, isPgError, PG } from '#database/transaction.ts'
import type { Db } from '../model/db.ts'

/** Enough for what concurrent requests write. */
const KILOBYTES = 1_024

/**
 * Whether the database has room on its disk for more data. Tests it with a table that is never committed.
 *
 * @throws when the database cannot be reached.
 */
export async function canGrow(db: Db): Promise<boolean> {
  const undone = new Error('undone')
  try {
    await inTransaction(db, async (tx) => {
      await sql`create temporary table growth (filler text) on commit drop`.execute(tx)
      await sql`insert into growth select repeat('x', 1000) from generate_series(1, ${KILOBYTES}::int)`.execute(
        tx,
      )
      throw undone
    })
    return true
  } catch (error) {
    if (isPgError(error, PG.diskFull)) return false
    // a role that may not create temporary tables finds out with its next write
    if (error === undone || isPgError(error, PG.insufficientPrivilege)) return true
    throw error
  }
}

/** Why the database accepts no writes: it is a standby, or set to read-only. Null if it accepts writes. */
export type ReadOnly = 'standby' | 'setting' | null

/** @throws when the database cannot be reached. */
export function whyReadOnly(db: Db): Promise<ReadOnly> {
  return db.connection().execute(async (one) => {
    const found = await sql<{ is_standby: boolean; is_read_only: boolean }>`
      select pg_is_in_recovery() as is_standby, current_setting('transaction_read_only')::bool as is_read_only`.execute(
      one,
    )
    const { is_standby: isStandby, is_read_only: isReadOnly } = found.rows[0] ?? {}
    if (isReadOnly !== true) return null
    // this statement fails, so the pool discards the session: the next one may reach a new primary, or be writable
    await sql`select from runtime.migration where false for update`.execute(one).catch(() => undefined)
    return isStandby === true ? 'standby' : 'setting'
  })
}
