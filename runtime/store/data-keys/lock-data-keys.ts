import { sql } from 'kysely'
import type { Tx } from '../../model/db.ts'

/** Until the transaction ends nobody else makes, replaces or wraps data keys. */
export async function lockDataKeys(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('bundle-console data keys', 0))`.execute(tx)
}
