import { sql } from 'kysely'
import type { IdpUser } from './find-user.ts'
import type { BffDb } from '../tables.ts'

/** Applies the configured name, password and roles to a user. */
export async function updateUser(
  db: BffDb,
  user: Pick<IdpUser, 'sub' | 'name' | 'passwordHash' | 'roles'>,
): Promise<void> {
  await sql`
    update bff.idp_user
    set name = ${user.name}, password_hash = ${user.passwordHash}, roles = ${JSON.stringify(user.roles)},
      is_password_shown = true
    where sub::text = ${user.sub}`.execute(db)
}
