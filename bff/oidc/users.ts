import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { inTransaction } from '#database/transaction.ts'
import { placeKey, RoleEntry } from '../session/roles.ts'
import type { Role, RoleGrant } from '../session/roles.ts'
import { deleteUsers } from '../store/idp-users/delete-users.ts'
import { insertUser } from '../store/idp-users/insert-user.ts'
import { listUsers } from '../store/idp-users/list-users.ts'
import { updateUser } from '../store/idp-users/update-user.ts'
import { endSessionsOf } from '../store/sessions/end-sessions-of.ts'
import type { BffDb } from '../store/tables.ts'
import { generatePassword, hashPassword, verifyPassword } from './password.ts'

const ConfiguredUserSchema = z.strictObject({
  username: z.string().regex(/^[^\s\p{Cc}]{1,64}$/u),
  password: z.string().min(1).max(256),
  roles: z.array(RoleEntry).max(100),
})
export type ConfiguredUser = z.output<typeof ConfiguredUserSchema>

const SHAPE = 'a JSON list of {"username","password","roles"} is needed'

/** `CONSOLE_USERS`: a JSON list; a message names the user and field that is wrong, never a password. */
export const ConsoleUsers = z.string().transform((text, context): ConfiguredUser[] => {
  const refuse = (message: string): never => {
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return refuse(SHAPE)
  }
  const users = z.array(ConfiguredUserSchema).min(1).safeParse(json)
  if (!users.success) {
    const [index, ...field] = users.error.issues[0]?.path ?? []
    if (typeof index !== 'number') return refuse(SHAPE)
    return refuse(`${SHAPE}; entry ${index + 1} is wrong at ${field.join('.') || 'its whole'}`)
  }
  const names = users.data.map(({ username }) => username.toLowerCase())
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  return twice === undefined ? users.data : refuse(`the username ${JSON.stringify(twice)} stands there twice`)
})

/** A user who was just made, to be printed once: only here the password is known. */
export interface NewUser {
  username: string
  password: string
  roles: Role[]
}

const FIRST_USERS: Role[] = ['admin', 'operator', 'support', 'viewer']

/**
 * Sees to the users of the embedded identity provider.
 *
 * With `CONSOLE_USERS` that list is the whole truth: who is not on it is removed, and whose password or roles have
 * changed is signed out. Without it, a database without users gets one for each role, with generated passwords;
 * those are the answer.
 */
export async function prepareUsers(
  db: BffDb,
  options: { configured: ConfiguredUser[] | null; issuer: string },
): Promise<NewUser[]> {
  if (options.configured !== null) {
    await applyConfigured(db, options.configured, options.issuer)
    return []
  }
  // all or none: nobody would ever be told the passwords of some
  return inTransaction(db, async (tx) => {
    if ((await listUsers(tx)).length > 0) return []
    const made: NewUser[] = []
    for (const role of FIRST_USERS) {
      const password = generatePassword()
      // of two replicas that start together, each prints the users that it has made
      const isMine = await insert(tx, { username: role, password, roles: [{ role, scope: null }] })
      if (isMine) made.push({ username: role, password, roles: [role] })
    }
    return made
  })
}

async function applyConfigured(db: BffDb, configured: ConfiguredUser[], issuer: string): Promise<void> {
  const byName = new Map(configured.map((user) => [user.username.toLowerCase(), user]))
  const existing = await listUsers(db)
  const removed = existing.filter(({ username }) => !byName.has(username)).map(({ sub }) => sub)
  const changed: string[] = []
  for (const user of existing) {
    const wanted = byName.get(user.username)
    if (wanted === undefined) continue
    byName.delete(user.username)
    const isSamePassword = await verifyPassword(wanted.password, user.passwordHash)
    const isSame = isSamePassword && wanted.username === user.name && sameRoles(wanted.roles, user.roles)
    if (isSame) continue
    const passwordHash = isSamePassword ? user.passwordHash : await hashPassword(wanted.password)
    await updateUser(db, { sub: user.sub, name: wanted.username, passwordHash, roles: wanted.roles })
    changed.push(user.sub)
  }
  await deleteUsers(db, removed)
  await endSessionsOf(db, issuer, [...removed, ...changed])
  for (const user of byName.values()) await insert(db, user)
}

async function insert(db: BffDb, { username, password, roles }: ConfiguredUser): Promise<boolean> {
  const passwordHash = await hashPassword(password)
  return insertUser(db, { username, sub: randomUUID(), name: username, passwordHash, roles })
}

function sameRoles(a: RoleGrant[], b: RoleGrant[]): boolean {
  const text = (roles: RoleGrant[]): string =>
    JSON.stringify(roles.map(({ role, scope }) => [role, placeKey(scope)]))
  return text(a) === text(b)
}
