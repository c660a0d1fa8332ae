import { randomBytes, randomInt, scrypt, timingSafeEqual, randomUUID } from 'node:crypto'
import { createTurns } from '#http-kit/token-bucket.ts'
import { inTransaction } from '#database/transaction.ts'
import type { Role } from '../roles.ts'
import { insertUser, listUsers, markPasswordsShown, replaceUnshownPassword } from '../store/idp-users.ts'
import type { IdpUser } from '../store/idp-users.ts'
import type { BffDb } from '../store/tables.ts'

export interface Cost {
  /** log2 of N */
  logN: number
  r: number
  p: number
}

// OWASP's password storage cheat sheet: 32 MiB and about 0.1 s per guess
const COST: Cost = { logN: 15, r: 8, p: 3 }
const KEY_BYTES = 32

/** `scrypt$15$8$3$salt$hash`: verification reads the cost from it, so the cost can be raised later. */
export async function hashPassword(password: string, cost: Cost = COST): Promise<string> {
  const salt = randomBytes(16)
  return toText(cost, salt, await derive(password, salt, cost))
}

function toText({ logN, r, p }: Cost, salt: Buffer, key: Buffer): string {
  return ['scrypt', logN, r, p, salt.toString('base64url'), key.toString('base64url')].join('$')
}

/**
 * Whether the password is correct. Takes equally long for a user who does not exist (`null`), so that names cannot be
 * probed.
 */
export async function verifyPassword(password: string, passwordHash: string | null): Promise<boolean> {
  const [kind, logN, r, p, salt = '', key = ''] = (passwordHash ?? DUMMY).split('$')
  const cost = { logN: Number(logN), r: Number(r), p: Number(p) }
  const expected = Buffer.from(key, 'base64url')
  if (kind !== 'scrypt' || expected.length !== KEY_BYTES) return false
  const derived = await derive(password, Buffer.from(salt, 'base64url'), cost)
  return timingSafeEqual(derived, expected) && passwordHash !== null
}

const DUMMY = toText(COST, Buffer.alloc(16), Buffer.alloc(KEY_BYTES))

// without ambiguous letters
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'

/** A generated password of 20 letters and digits in groups of five: 99 bits, and still easy to type. */
export function generatePassword(): string {
  const letters = Array.from({ length: 20 }, () => ALPHABET[randomInt(ALPHABET.length)])
  return [0, 5, 10, 15].map((start) => letters.slice(start, start + 5).join('')).join('-')
}

/** Each takes 32 MiB and a processor, and a program has more threads than a machine may have processors. */
const turns = createTurns({ atOnce: 4, waitingMax: Infinity })

async function derive(password: string, salt: Buffer, cost: Cost): Promise<Buffer> {
  const derived = await turns.take('', () => deriveNow(password, salt, cost))
  if (derived === null) throw new TypeError('any number may wait')
  return derived
}

function deriveNow(password: string, salt: Buffer, { logN, r, p }: Cost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { N: 2 ** logN, r, p, maxmem: 256 * 2 ** logN * r }
    scrypt(password.normalize('NFC'), salt, KEY_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}

/** A user whose password was just generated, and is known only here. */
export interface NewUser {
  username: string
  password: string
  name: string
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

export type FirstNames = Partial<Record<Role, string>>

const FIRST_USERS: readonly Role[] = ['admin', 'operator', 'support', 'viewer']

/**
 * Generates the passwords to show. A database without users gets the first users, one for each role. Passwords
 * that an interrupted start generated but did not show are replaced, so no user keeps a password that nobody
 * knows.
 *
 * @param names what the first users are called in the console and in the audit; they sign in as their role.
 */
export async function issueFirstPasswords(
  db: BffDb,
  names: FirstNames = {},
  cost: Cost = COST,
): Promise<FirstPasswords> {
  const existing = await listUsers(db)
  const wanted =
    existing.length === 0
      ? FIRST_USERS.map((role) => firstUser(role, names[role]))
      : existing.filter((user) => !user.isPasswordShown)
  // before the transaction, because hashing is slow
  const generated = await Promise.all(wanted.map((user) => withNewPassword(user, cost)))
  const issued = await inTransaction(db, (tx) => store(tx, generated, existing.length === 0))
  return {
    users: issued.map(({ user: { username, name, roles }, password }) => {
      return { username, password, name, roles: roles.map(({ role }) => role) }
    }),
    confirmShown: async () => {
      const shown = issued.map(({ user }) => user)
      return (await markPasswordsShown(db, shown)) === shown.length
    },
  }
}

function firstUser(role: Role, name: string = role): Omit<IdpUser, 'passwordHash'> {
  return {
    username: role,
    sub: randomUUID(),
    name,
    roles: [{ role, scope: null }],
    isPasswordShown: false,
  }
}

interface Generated {
  user: IdpUser
  password: string
}

async function withNewPassword(user: Omit<IdpUser, 'passwordHash'>, cost: Cost): Promise<Generated> {
  const password = generatePassword()
  return { user: { ...user, passwordHash: await hashPassword(password, cost) }, password }
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
