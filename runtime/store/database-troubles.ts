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
