import { sql } from 'kysely'
import type { BffDb } from '../tables.ts'

/** Ends a session on every replica; nothing happens where there is none. */
export async function endSession(db: BffDb, idHash: Buffer): Promise<void> {
  await sql`delete from bff.session where id_hash = ${idHash}`.execute(db)
}
