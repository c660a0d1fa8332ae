import { createHash } from 'node:crypto'

/** A UUID that is the same for the same person and key, so that a repeated request finds what the first one created. */
export function idOfRequest({ issuer, id }: { issuer: string; id: string }, idempotencyKey: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([issuer, id, idempotencyKey]))
    .digest()
  // version 8 and variant of RFC 9562
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x80
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80
  return digest
    .toString('hex')
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
