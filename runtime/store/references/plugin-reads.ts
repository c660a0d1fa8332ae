import { readTogether } from '#database/read-together.ts'
import type { Db } from '../../model/db.ts'
import { findCredentials } from '../plugins/find-credential.ts'
import type { CredentialHolder } from '../plugins/find-credential.ts'
import { placeKey, readAppliedTargets } from './read-applied.ts'
import type { AppliedTargets, PropertyOfInstallation } from './read-applied.ts'

/** What every request of a plugin reads. */
export interface PluginReads {
  /** Undefined if there is no credential with this hash. */
  holderOf(secretHash: Buffer): Promise<CredentialHolder | undefined>
  /** Undefined if there is no such installation. */
  appliedTargets(place: PropertyOfInstallation): Promise<AppliedTargets | undefined>
}

const CONCURRENCY = 1
const MOST = 64
/** Measured with `bench -- plugin`: without it, 1,000 requests a second are mostly statements of one or two keys. */
const INTERVAL_MS = 3

/** Requests that arrive at the same time are read together, each after it has arrived: nothing is cached. */
export function createPluginReads(db: Db): PluginReads {
  return {
    holderOf: readTogether({
      read: (hashes) => findCredentials(db, hashes),
      identify: (hash) => hash.toString('hex'),
      concurrency: CONCURRENCY,
      most: MOST,
      intervalMs: INTERVAL_MS,
    }),
    appliedTargets: readTogether({
      read: (places) => readAppliedTargets(db, places),
      identify: placeKey,
      concurrency: CONCURRENCY,
      most: MOST,
      intervalMs: INTERVAL_MS,
    }),
  }
}
