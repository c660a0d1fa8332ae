import { sql } from 'kysely'
import type { BffDb } from '../tables.ts'

/** Ends all sessions of people whose accounts were removed or changed. */
export async function endSessionsOf(db: BffDb, iss: string, subs: readonly string[]): Promise<void> {
  if (subs.length === 0) return
  await sql`delete from bff.session where iss = ${iss} and sub = any(${subs})`.execute(db)
}
