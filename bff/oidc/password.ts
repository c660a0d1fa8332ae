import { randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto'

interface Cost {
  /** log2 of N */
  logN: number
  r: number
  p: number
}

// OWASP's password storage cheat sheet: 32 MiB and about 0.1 s per guess
const COST: Cost = { logN: 15, r: 8, p: 3 }
const KEY_BYTES = 32

/** `scrypt$15$8$3$salt$hash`: verification reads the cost from it, so the cost can be raised later. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(password, salt, COST)
  const { logN, r, p } = COST
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

const DUMMY = `scrypt$15$8$3$${Buffer.alloc(16).toString('base64url')}$${Buffer.alloc(KEY_BYTES).toString('base64url')}`

// without ambiguous letters
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'

/** A generated password of 20 letters and digits in groups of five: 99 bits, and still easy to type. */
export function generatePassword(): string {
  const letters = Array.from({ length: 20 }, () => ALPHABET[randomInt(ALPHABET.length)])
  return [0, 5, 10, 15].map((start) => letters.slice(start, start + 5).join('')).join('-')
}

function derive(password: string, salt: Buffer, { logN, r, p }: Cost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { N: 2 ** logN, r, p, maxmem: 256 * 2 ** logN * r }
    scrypt(password.normalize('NFC'), salt, KEY_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}
