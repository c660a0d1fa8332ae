import { sql } from 'kysely'
import type { IdpUser } from './find-user.ts'
import type { BffDb } from '../tables.ts'

export async function listUsers(db: BffDb): Promise<IdpUser[]> {
  const { rows } = await sql<IdpUser>`
    select username, sub, name, password_hash as "passwordHash", roles, is_password_shown as "isPasswordShown"
    from bff.idp_user order by username`.execute(db)
  return rows
}
