import { runEvery, combineTasks } from './deps/periodic-task.ts'
import type { PeriodicTask } from './deps/periodic-task.ts'
import { readHead } from './store/audit.ts'
import { keepSigningKey } from './store/signing-keys.ts'
import { pruneEvents } from './store/events.ts'
import { pruneComparisons } from './store/comparisons.ts'
import { pruneReads } from './store/plugins/reads.ts'
import { pruneRefusals } from './store/plugins/refusals.ts'
import { pruneKeys } from './store/idempotency.ts'
import { settleCauses } from './store/operations/change-causes.ts'
import {
  mergeInstallationCounts,
  mergeVersionCounts,
  rollUpOperations,
} from './store/overview/aggregate-counts.ts'
import { appendAnchor, signedAnchor } from './use-cases/audit/verify-chain.ts'
import type { RuntimeDeps } from './deps/runtime-deps.ts'
import type { PublicKey } from './model/vault.ts'

const SECONDS = 1_000
const MINUTES = 60 * SECONDS
/** Small, so that no statement holds many locks for long. */
const BATCH = 5_000

/**
 * Periodically publishes this replica's signing key, deletes expired rows, settles causes, merges counts, and writes anchors of
 * the audit: to the log, and to `anchorFile` unless it is null.
 */
export function startJanitor(
  deps: RuntimeDeps,
  publicKey: PublicKey,
  anchorFile: string | null = null,
): PeriodicTask {
  return combineTasks([
    runEvery(
      deps,
      { everyMs: 10 * MINUTES, failureMessage: 'old rows could not be deleted', first: 'later' },
      (stopped) => clean(deps, publicKey, stopped),
    ),
    runEvery(
      deps,
      { everyMs: 5 * SECONDS, failureMessage: 'causes of failures could not be settled', first: 'later' },
      (stopped) => settle(deps, stopped),
    ),
    runEvery(
      deps,
      { everyMs: 10 * MINUTES, failureMessage: 'counts could not be merged', first: 'later' },
      (stopped) => count(deps, stopped),
    ),
    runEvery(
      deps,
      {
        everyMs: 60 * MINUTES,
        failureMessage: 'the state of the audit could not be read',
        first: 'immediately',
      },
      () => keepAnchor(deps, anchorFile),
    ),
  ])
}

/**
 * Stored apart from the database, anchors uncover a chain that was cut or rewritten as a whole. Their signatures show that they
 * were not written by somebody who can write to the same place.
 */
async function keepAnchor({ db, log, vault }: RuntimeDeps, file: string | null): Promise<void> {
  const { sequence, hash } = await readHead(db)
  if (sequence === 0) return
  const anchor = signedAnchor({ sequence, hash: hash.toString('hex') }, vault.signatures.bind(vault))
  log.info('audit anchor', anchor)
  if (file !== null) await appendAnchor(file, anchor)
}

async function settle({ db }: RuntimeDeps, stopped: AbortSignal): Promise<void> {
  let settled = BATCH
  while (settled === BATCH && !stopped.aborted) settled = await settleCauses(db, BATCH)
}

async function count({ db }: RuntimeDeps, stopped: AbortSignal): Promise<void> {
  await mergeInstallationCounts(db)
  await mergeVersionCounts(db)
  let more = true
  while (more && !stopped.aborted) more = await rollUpOperations(db)
}

async function clean({ db }: RuntimeDeps, publicKey: PublicKey, stopped: AbortSignal): Promise<void> {
  await keepSigningKey(db, publicKey)
  for (const prune of [pruneEvents, pruneKeys, pruneComparisons, pruneRefusals, pruneReads]) {
    let deleted = BATCH
    while (deleted === BATCH && !stopped.aborted) deleted = await prune(db, BATCH)
  }
}
