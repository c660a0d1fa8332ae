import { createHash, randomBytes } from 'node:crypto'

/** An opaque value of 256 random bits, for a cookie or a URL. */
export function opaqueValue(): string {
  return randomBytes(32).toString('base64url')
}

/** What is kept of an opaque value. It is random enough that a plain hash cannot be turned back. */
export function hashOf(value: string): Buffer {
  return createHash('sha256').update(value).digest()
}
