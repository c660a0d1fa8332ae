import { startRounds, together } from '../deps/periodic-task.ts'
import type { Rounds } from '../deps/periodic-task.ts'
import type { World } from '../deps/runtime-deps.ts'
import { resealAll } from './reseal.ts'

const EVERY_MS = 60_000

/** Learns of new data keys, and seals with the current one what is not, from time to time until stopped. */
export function startKeyKeeper(world: World): Rounds {
  return together([
    startRounds(
      world,
      { everyMs: EVERY_MS, trouble: 'the data keys could not be read', first: 'later' },
      () => world.vault.learn(world.db),
    ),
    // apart from it, as a round may take hours
    startRounds(
      world,
      { everyMs: EVERY_MS, trouble: 'values could not be sealed anew', first: 'at once' },
      (stopped) => resealAll(world, stopped),
    ),
  ])
}
