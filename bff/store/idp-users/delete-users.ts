import { sql } from 'kysely'
import type { BffDb } from '../tables.ts'

export async function deleteUsers(db: BffDb, subs: readonly string[]): Promise<void> {
  if (subs.length === 0) return
  await sql`delete from bff.idp_user where sub::text = any(${subs})`.execute(db)
}
