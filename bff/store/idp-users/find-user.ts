import { sql } from 'kysely'
import type { RoleGrant } from '../../session/roles.ts'
import type { BffDb } from '../tables.ts'

export interface IdpUser {
  username: string
  sub: string
  name: string
  passwordHash: string
  roles: RoleGrant[]
  /** False for a generated password that may not have been shown yet. */
  isPasswordShown: boolean
}

/** A user of the embedded identity provider, by username (case-insensitive) or by `sub`. */
export async function findUser(
  db: BffDb,
  by: { username: string } | { sub: string },
): Promise<IdpUser | null> {
  const match = 'sub' in by ? sql`sub::text = ${by.sub}` : sql`username = ${by.username.toLowerCase()}`
  const { rows } = await sql<IdpUser>`
    select username, sub, name, password_hash as "passwordHash", roles, is_password_shown as "isPasswordShown"
    from bff.idp_user where ${match}`.execute(db)
  return rows[0] ?? null
}
