import { sql } from 'kysely'
import type { BffDb } from '../tables.ts'

/** Ends a session on every replica and returns its person; null if there was none. */
export async function endSession(
  db: BffDb,
  idHash: Buffer,
): Promise<{ iss: string; sub: string; name: string } | null> {
  const { rows } = await sql<{ iss: string; sub: string; name: string }>`
    delete from bff.session where id_hash = ${idHash} returning iss, sub, name`.execute(db)
  return rows[0] ?? null
}
