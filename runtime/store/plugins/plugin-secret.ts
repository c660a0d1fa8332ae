import { createHash, randomBytes } from 'node:crypto'

/** Every secret starts with this prefix, so that secrets can be found inside text. */
export const SECRET_PREFIX = 'bpc_'

/** Matches anywhere, even between other letters: 32 bytes are 43 base64url characters. */
const SECRET = /(?=(bpc_[\w-]{43}))bpc_/g

/** Creates a secret of 256 bits, and the hash to store. */
export function makeSecret(): { secret: string; hash: Buffer } {
  const secret = `${SECRET_PREFIX}${randomBytes(32).toString('base64url')}`
  return { secret, hash: hashOf(secret) }
}

/** Returns every part of a text that looks like a secret. Its hash decides whether it is one. */
export function possibleSecretsIn(text: string): string[] {
  return text.includes(SECRET_PREFIX) ? [...text.matchAll(SECRET)].map(([, secret = '']) => secret) : []
}

/** The hash that is stored for a secret. */
export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
