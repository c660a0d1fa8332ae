import { runEvery, combineTasks } from '../deps/periodic-task.ts'
import type { PeriodicTask } from '../deps/periodic-task.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { resealAll } from './reseal.ts'

const EVERY_MS = 60_000

/** Periodically reads new data keys, and reseals with the current key everything that is not sealed with it. */
export function startKeyKeeper(deps: RuntimeDeps): PeriodicTask {
  return combineTasks([
    runEvery(
      deps,
      { everyMs: EVERY_MS, failureMessage: 'the data keys could not be read', first: 'later' },
      () => deps.vault.learn(deps.db),
    ),
    // a separate task, because one run may take hours
    runEvery(
      deps,
      { everyMs: EVERY_MS, failureMessage: 'values could not be resealed', first: 'immediately' },
      (stopped) => resealAll(deps, stopped),
    ),
  ])
}
