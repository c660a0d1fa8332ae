import { sql } from 'kysely'
import type { BffDb } from '../tables.ts'

/** Deletes one record, or all that belong to a grant. */
export async function deleteRecord(db: BffDb, by: { idHash: Buffer } | { grantId: string }): Promise<void> {
  const match = 'idHash' in by ? sql`id_hash = ${by.idHash}` : sql`grant_id = ${by.grantId}`
  await sql`delete from bff.idp_record where ${match}`.execute(db)
}
