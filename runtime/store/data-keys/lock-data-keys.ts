import { sql } from 'kysely'
import type { Tx } from '../../model/db.ts'

/** Prevents other sessions from adding, replacing or wrapping data keys until the transaction ends. */
export async function lockDataKeys(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('bundle-console data keys', 0))`.execute(tx)
}
