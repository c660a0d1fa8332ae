import { sql } from 'kysely'
import type { IdpUser } from './find-user.ts'
import type { BffDb } from '../tables.ts'

/** False if the name is taken, for example when two replicas start together on an empty database. */
export async function insertUser(db: BffDb, user: IdpUser): Promise<boolean> {
  const { rows } = await sql`
    insert into bff.idp_user (username, sub, name, password_hash, roles, is_password_shown)
    values (${user.username.toLowerCase()}, ${user.sub}, ${user.name}, ${user.passwordHash},
      ${JSON.stringify(user.roles)}, ${user.isPasswordShown})
    on conflict (username) do nothing returning 1`.execute(db)
  return rows.length === 1
}
