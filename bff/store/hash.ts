import { createHash, randomBytes } from 'node:crypto'

/** An opaque value of 256 random bits, for a cookie or a URL. */
export function opaqueValue(): string {
  return randomBytes(32).toString('base64url')
}

/** The stored form of an opaque value, which has enough entropy for a plain hash. */
export function hashOf(value: string): Buffer {
  return createHash('sha256').update(value).digest()
}
