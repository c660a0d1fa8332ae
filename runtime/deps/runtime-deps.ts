import type { Clock } from '#http-kit/clock.ts'
import type { Log } from '#http-kit/log.ts'
import type { Random } from '#http-kit/random.ts'
import type { Db } from '../model/db.ts'
import type { Signer } from './signer.ts'
import type { Vault } from '../model/vault.ts'
import type { Outbound } from '#http-kit/outbound-result.ts'

/**
 * Everything external that the core of the runtime uses. The same core runs in production and in a seeded simulation
 * with virtual time, because nothing else does I/O, reads a clock or creates random numbers.
 */
export interface RuntimeDeps {
  db: Db
  http: Outbound
  clock: Clock
  /** The source of ids and jitter. */
  random: Random
  log: Log
  /** Signs the tokens of the platform; its keys stay inside. */
  signer: Signer
  /** Seals sensitive values for the database; its keys stay inside. */
  vault: Vault
}
