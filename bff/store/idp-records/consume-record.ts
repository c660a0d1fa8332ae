import { sql } from 'kysely'
import type { BffDb } from '../tables.ts'

/** Marks a record as used; false if it was already used or does not exist, so that a code works once. */
export async function consumeRecord(db: BffDb, idHash: Buffer): Promise<boolean> {
  const { rows } = await sql`
    update bff.idp_record set consumed_at = clock_timestamp()
    where id_hash = ${idHash} and consumed_at is null returning 1`.execute(db)
  return rows.length === 1
}
