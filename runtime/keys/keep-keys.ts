import { runEvery, combineTasks } from '../deps/periodic-task.ts'
import type { PeriodicTask } from '../deps/periodic-task.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { resealAll } from './reseal.ts'

const EVERY_MS = 60_000

/** Learns of new data keys, and seals with the current one what is not, from time to time until stopped. */
export function startKeyKeeper(deps: RuntimeDeps): PeriodicTask {
  return combineTasks([
    runEvery(deps, { everyMs: EVERY_MS, trouble: 'the data keys could not be read', first: 'later' }, () =>
      deps.vault.learn(deps.db),
    ),
    // apart from it, as a round may take hours
    runEvery(
      deps,
      { everyMs: EVERY_MS, trouble: 'values could not be sealed anew', first: 'at once' },
      (stopped) => resealAll(deps, stopped),
    ),
  ])
}
