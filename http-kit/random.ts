import { randomBytes } from 'node:crypto'

/** The source of randomness for the core; the simulation brings a seeded one. */
export interface Random {
  /** `count` random bytes. */
  bytes(count: number): Uint8Array
  /** A number from 0 (included) to 1 (excluded); for jitter. */
  fraction(): number
}

export const systemRandom: Random = {
  bytes: (count) => randomBytes(count),
  fraction: () => randomBytes(4).readUInt32BE() / 2 ** 32,
}
