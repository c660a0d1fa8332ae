import { sql } from 'kysely'
import type { RoleGrant } from '../roles.ts'
import type { BffDb } from './tables.ts'

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

export async function listUsers(db: BffDb): Promise<IdpUser[]> {
  const { rows } = await sql<IdpUser>`
    select username, sub, name, password_hash as "passwordHash", roles, is_password_shown as "isPasswordShown"
    from bff.idp_user order by username`.execute(db)
  return rows
}

/** False if the name is taken, for example when two replicas start together on an empty database. */
export async function insertUser(db: BffDb, user: IdpUser): Promise<boolean> {
  const { rows } = await sql`
    insert into bff.idp_user (username, sub, name, password_hash, roles, is_password_shown)
    values (${user.username.toLowerCase()}, ${user.sub}, ${user.name}, ${user.passwordHash},
      ${JSON.stringify(user.roles)}, ${user.isPasswordShown})
    on conflict (username) do nothing returning 1`.execute(db)
  return rows.length === 1
}

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

export async function deleteUsers(db: BffDb, subs: readonly string[]): Promise<void> {
  if (subs.length === 0) return
  await sql`delete from bff.idp_user where sub::text = any(${subs})`.execute(db)
}

/** Records that generated passwords were shown; returns for how many users they are still valid. */
export async function markPasswordsShown(
  db: BffDb,
  shown: readonly { sub: string; passwordHash: string }[],
): Promise<number> {
  const { rows } = await sql`
    update bff.idp_user set is_password_shown = true
    from unnest(
      ${shown.map(({ sub }) => sub)}::text[],
      ${shown.map(({ passwordHash }) => passwordHash)}::text[]) as shown (sub, password_hash)
    where idp_user.sub::text = shown.sub and idp_user.password_hash = shown.password_hash
    returning 1`.execute(db)
  return rows.length
}

/** Sets another generated password. False, without a change, if the user's password has been shown in the meantime. */
export async function replaceUnshownPassword(
  db: BffDb,
  { sub, passwordHash }: { sub: string; passwordHash: string },
): Promise<boolean> {
  const { rows } = await sql`
    update bff.idp_user set password_hash = ${passwordHash}
    where sub::text = ${sub} and not is_password_shown returning 1`.execute(db)
  return rows.length === 1
}
