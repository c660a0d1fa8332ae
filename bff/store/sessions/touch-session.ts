import { sql } from 'kysely'
import type { BffDb } from '../tables.ts'

/** Records activity of the person. */
export async function touchSession(db: BffDb, idHash: Buffer): Promise<void> {
  await sql`update bff.session set last_seen_at = clock_timestamp() where id_hash = ${idHash}`.execute(db)
}
