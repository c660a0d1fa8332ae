import { runEvery, combineTasks } from './deps/periodic-task.ts'
import type { PeriodicTask } from './deps/periodic-task.ts'
import { readHead } from './store/audit/read-head.ts'
import { keepSigningKey } from './store/signing-keys/keep-signing-key.ts'
import { pruneEvents } from './store/events/prune-events.ts'
import { pruneKeys } from './store/idempotency/prune-keys.ts'
import { foldInstallationCounts } from './store/overview/fold-installation-counts.ts'
import { rollUpOperations } from './store/overview/roll-up-operations.ts'
import type { RuntimeDeps } from './deps/runtime-deps.ts'
import type { PublicKey } from './model/public-key.ts'

const MINUTES = 60_000
/** Small, so that no statement holds many locks for long. */
const BATCH = 5_000

/**
 * Keeps this replica's signing key known, deletes what nobody asks for any more, brings counts together, and tells the log
 * where the audit's chain stands, from time to time until stopped.
 */
export function startJanitor(deps: RuntimeDeps, publicKey: PublicKey): PeriodicTask {
  return combineTasks([
    runEvery(
      deps,
      { everyMs: 10 * MINUTES, trouble: 'old rows could not be deleted', first: 'later' },
      (stopped) => clean(deps, publicKey, stopped),
    ),
    runEvery(
      deps,
      { everyMs: 10 * MINUTES, trouble: 'counts could not be brought together', first: 'later' },
      (stopped) => count(deps, stopped),
    ),
    runEvery(
      deps,
      { everyMs: 60 * MINUTES, trouble: 'the state of the audit could not be read', first: 'at once' },
      () => logAnchor(deps),
    ),
  ])
}

/** Where the log is kept apart from the database, it uncovers a chain that was made anew as a whole. */
async function logAnchor({ db, log }: RuntimeDeps): Promise<void> {
  const { sequence, hash } = await readHead(db)
  if (sequence > 0) log.info('audit anchor', { sequence, hash: hash.toString('hex') })
}

async function count({ db }: RuntimeDeps, stopped: AbortSignal): Promise<void> {
  await foldInstallationCounts(db)
  let more = true
  while (more && !stopped.aborted) more = await rollUpOperations(db)
}

async function clean({ db }: RuntimeDeps, publicKey: PublicKey, stopped: AbortSignal): Promise<void> {
  await keepSigningKey(db, publicKey)
  for (const prune of [pruneEvents, pruneKeys]) {
    let deleted = BATCH
    while (deleted === BATCH && !stopped.aborted) deleted = await prune(db, BATCH)
  }
}
