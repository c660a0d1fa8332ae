import type { Clock } from '#http-kit/clock.ts'
import type { Log } from '#http-kit/log.ts'
import type { Random } from '#http-kit/random.ts'
import type { Db } from '../model/db.ts'
import type { Signer } from './signer.ts'
import type { Vault } from '../model/vault.ts'
import type { Outbound } from '#http-kit/outbound-types.ts'

/**
 * Everything outside that the runtime's core touches. The very same core runs in production and in a seeded simulation
 * with virtual time, because nothing else does I/O, reads a clock or makes a random number.
 */
export interface RuntimeDeps {
  db: Db
  http: Outbound
  clock: Clock
  /** Ids and jitter come from it. */
  random: Random
  log: Log
  /** Tokens of the platform; its keys stay behind it. */
  signer: Signer
  /** Seals sensitive values for the database; its keys stay behind it. */
  vault: Vault
}
