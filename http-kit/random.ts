import { createHash, randomBytes } from 'node:crypto'
import { v7 } from 'uuid'
import type { Clock } from './clock.ts'

/** The source of randomness for the core; the simulation brings a seeded one. */
export interface Random {
  /** `count` random bytes. */
  bytes(count: number): Uint8Array
  /** A number from 0 (included) to 1 (excluded); for jitter. */
  fraction(): number
}

const POOL_BYTES = 4_096
let pool = Buffer.alloc(0)

export const systemRandom: Random = {
  bytes: (count) => take(count),
  fraction: () => take(4).readUInt32BE() / 2 ** 32,
}

/** From a larger draw, because a draw costs more than its bytes. Each byte is given out once. */
function take(count: number): Buffer {
  if (count > POOL_BYTES) return randomBytes(count)
  if (count > pool.length) pool = randomBytes(POOL_BYTES)
  const taken = pool.subarray(0, count)
  pool = pool.subarray(count)
  return taken
}

/** A UUID version 7 (RFC 9562): sorts by its creation time in milliseconds. */
export function uuidv7({
  clock,
  random,
}: {
  clock: Pick<Clock, 'now'>
  random: Pick<Random, 'bytes'>
}): string {
  return v7({ msecs: clock.now().getTime(), random: random.bytes(16) })
}

/** When a UUID version 7 was created; null for any other text. */
export function uuidv7Time(id: string): Date | null {
  const time = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.exec(id)
  return time === null ? null : new Date(Number.parseInt(`${time[1]}${time[2]}`, 16))
}

/** An opaque value of 256 random bits, for a cookie or a URL. */
export function opaqueValue(): string {
  return randomBytes(32).toString('base64url')
}

/** The stored form of an opaque value, which has enough entropy for a plain hash. */
export function hashOf(value: string): Buffer {
  return createHash('sha256').update(value).digest()
}
