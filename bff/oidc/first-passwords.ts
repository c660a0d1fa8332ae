import { randomUUID } from 'node:crypto'
import { inTransaction } from '#database/transaction.ts'
import type { Role } from '../session/roles.ts'
import type { IdpUser } from '../store/idp-users/find-user.ts'
import { insertUser } from '../store/idp-users/insert-user.ts'
import { listUsers } from '../store/idp-users/list-users.ts'
import { markPasswordsShown } from '../store/idp-users/mark-passwords-shown.ts'
import { replaceUnshownPassword } from '../store/idp-users/replace-unshown-password.ts'
import type { BffDb } from '../store/tables.ts'
import { generatePassword, hashPassword } from './password.ts'

/** A user whose password was just generated, and is known only here. */
export interface NewUser {
  username: string
  password: string
  roles: Role[]
}

export interface FirstPasswords {
  /** Empty if every password has been shown or set. */
  users: NewUser[]
  /**
   * Must be called once the passwords have been shown; until then the next start generates new ones. False if
   * another replica has already generated others.
   */
  confirmShown(): Promise<boolean>
}

const FIRST_USERS: readonly Role[] = ['admin', 'operator', 'support', 'viewer']

/**
 * Generates the passwords to show. A database without users gets the first users, one for each role. Passwords
 * that an interrupted start generated but did not show are replaced, so no user keeps a password that nobody
 * knows.
 */
export async function issueFirstPasswords(db: BffDb): Promise<FirstPasswords> {
  const existing = await listUsers(db)
  const wanted =
    existing.length === 0 ? FIRST_USERS.map(firstUser) : existing.filter((user) => !user.isPasswordShown)
  // before the transaction, because hashing is slow
  const generated = await Promise.all(wanted.map(withNewPassword))
  const issued = await inTransaction(db, (tx) => store(tx, generated, existing.length === 0))
  return {
    users: issued.map(({ user: { username, roles }, password }) => {
      return { username, password, roles: roles.map(({ role }) => role) }
    }),
    confirmShown: async () => {
      const shown = issued.map(({ user }) => user)
      return (await markPasswordsShown(db, shown)) === shown.length
    },
  }
}

function firstUser(role: Role): Omit<IdpUser, 'passwordHash'> {
  return {
    username: role,
    sub: randomUUID(),
    name: role,
    roles: [{ role, scope: null }],
    isPasswordShown: false,
  }
}

interface Generated {
  user: IdpUser
  password: string
}

async function withNewPassword(user: Omit<IdpUser, 'passwordHash'>): Promise<Generated> {
  const password = generatePassword()
  return { user: { ...user, passwordHash: await hashPassword(password) }, password }
}

/** Returns the passwords that are valid: another replica may have been first. */
async function store(tx: BffDb, generated: readonly Generated[], areFirst: boolean): Promise<Generated[]> {
  if (areFirst && (await listUsers(tx)).length > 0) return []
  const stored: Generated[] = []
  for (const one of generated) {
    const isStored = areFirst ? await insertUser(tx, one.user) : await replaceUnshownPassword(tx, one.user)
    if (isStored) stored.push(one)
  }
  return stored
}
