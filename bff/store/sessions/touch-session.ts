import { sql } from 'kysely'
import type { BffDb } from '../tables.ts'

/** Records activity of the person. A session that began in the future, by a clock that was set back, begins now. */
export async function touchSession(db: BffDb, idHash: Buffer, now: Date): Promise<void> {
  const at = sql`${now.toISOString()}::timestamptz`
  await sql`
    update bff.session set last_seen_at = ${at}, created_at = least(created_at, ${at})
    where id_hash = ${idHash}`.execute(db)
}
