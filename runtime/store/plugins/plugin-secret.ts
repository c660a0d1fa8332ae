import { createHash, randomBytes } from 'node:crypto'

/** Every secret starts with this prefix, so that secrets can be found inside a text. */
export const SECRET_PREFIX = 'bpc_'

/** Matches anywhere, even between other letters: 32 bytes are 43 characters of base64url. */
const SECRET = /(?=(bpc_[\w-]{43}))bpc_/g

/** A new secret of 256 bits, and what is kept of it. */
export function makeSecret(): { secret: string; hash: Buffer } {
  const secret = `${SECRET_PREFIX}${randomBytes(32).toString('base64url')}`
  return { secret, hash: hashOf(secret) }
}

/** Every part of a text that has the shape of a secret; its hash tells whether it is one. */
export function possibleSecretsIn(text: string): string[] {
  return text.includes(SECRET_PREFIX) ? [...text.matchAll(SECRET)].map(([, secret = '']) => secret) : []
}

/** The hash under which a secret is stored. */
export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
