import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { jsonList } from '#http-kit/settings.ts'
import { placeKey, RoleEntry, ROLES } from '../roles.ts'
import type { RoleGrant } from '../roles.ts'
import { deleteUsers, insertUser, listUsers, updateUser } from '../store/idp-users.ts'
import { endSessionsOf } from '../store/sessions.ts'
import type { BffDb } from '../store/tables.ts'
import { hashPassword, verifyPassword } from './passwords.ts'

const ConfiguredUserSchema = z.strictObject({
  username: z.string().regex(/^[^\s\p{Cc}]{1,64}$/u),
  password: z.string().min(8).max(256),
  roles: z.array(RoleEntry).max(100),
})
export type ConfiguredUser = z.output<typeof ConfiguredUserSchema>

const SHAPE = `a JSON list of {"username","password","roles"} is needed, with passwords of 8 or more characters and the roles ${ROLES.join(', ')}`

/** `CONSOLE_USERS`: a JSON list; error messages name the wrong user and field, never a password. */
export const ConsoleUsers = jsonList(ConfiguredUserSchema, SHAPE).superRefine((users, context) => {
  if (users.length === 0) context.addIssue({ code: 'custom', message: SHAPE })
  const names = users.map(({ username }) => username.toLowerCase())
  const duplicate = names.find((name, index) => names.indexOf(name) !== index)
  if (duplicate !== undefined)
    context.addIssue({
      code: 'custom',
      message: `the username ${JSON.stringify(duplicate)} is listed twice`,
    })
})

/**
 * Applies `CONSOLE_USERS`, which is the complete list: other users are removed, and users whose password or
 * roles have changed are signed out.
 */
export async function applyConfiguredUsers(
  db: BffDb,
  { configured, issuer }: { configured: ConfiguredUser[]; issuer: string },
): Promise<void> {
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
    if (isSame && user.isPasswordShown) continue
    const passwordHash = isSamePassword ? user.passwordHash : await hashPassword(wanted.password)
    await updateUser(db, { sub: user.sub, name: wanted.username, passwordHash, roles: wanted.roles })
    changed.push(user.sub)
  }
  await deleteUsers(db, removed)
  await endSessionsOf(db, issuer, [...removed, ...changed])
  for (const { username, password, roles } of byName.values()) {
    const passwordHash = await hashPassword(password)
    await insertUser(db, {
      username,
      sub: randomUUID(),
      name: username,
      passwordHash,
      roles,
      isPasswordShown: true,
    })
  }
}

function sameRoles(a: RoleGrant[], b: RoleGrant[]): boolean {
  const text = (roles: RoleGrant[]): string =>
    JSON.stringify(roles.map(({ role, scope }) => [role, placeKey(scope)]))
  return text(a) === text(b)
}
