import { randomBytes } from 'node:crypto'

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
