import type { Log } from '#http-kit/log.ts'
import type { SharedClock } from '#http-kit/shared-clock.ts'
import { combineTasks, runEvery } from './deps/periodic-task.ts'
import type { PeriodicTask } from './deps/periodic-task.ts'
import type { RuntimeDeps } from './deps/runtime-deps.ts'
import type { PublicKey } from './model/vault.ts'
import { keepClock, lookAtClock, noteClock } from './store/recovery/keep-clock.ts'
import { keepSigningKey } from './store/signing-keys.ts'

const LOOK_EVERY_MS = 1_000
const NOTE_EVERY_MS = 5_000

/**
 * Follows the clock of the database, and records for everybody if the one of this replica differs. After a step, the public key
 * must not look old to other replicas, which would delete it, nor the data keys to this one, which would not seal with them.
 */
export function watchClock(
  deps: Pick<RuntimeDeps, 'db' | 'clock' | 'log' | 'vault'>,
  clock: SharedClock,
  publicKey: PublicKey,
): PeriodicTask {
  const { db, log, vault } = deps
  const renew = async (): Promise<void> => {
    await keepSigningKey(db, publicKey)
    await vault.learn(db)
  }
  clock.onStep(() => {
    renew().catch((error: unknown) =>
      log.warn('the keys could not be renewed after the clocks were set', {}, error),
    )
  })
  return combineTasks([
    clock.watch(LOOK_EVERY_MS),
    runEvery(
      deps,
      {
        everyMs: NOTE_EVERY_MS,
        failureMessage: 'the difference of the clocks could not be recorded',
        first: 'immediately',
      },
      () =>
        noteClock(db, publicKey.kid, clock.problem() === null ? null : wholeSeconds(clock.aheadMs() ?? 0)),
    ),
  ])
}

/**
 * The time of the database. If its clock was set back, what waits for a time is moved back with it.
 *
 * @param leaseMs null for a replica without a worker, which moves nothing.
 */
export async function readDatabaseClock(
  db: RuntimeDeps['db'],
  leaseMs: number | null,
  { log, onMoved }: { log: Log; onMoved: () => void },
): Promise<number> {
  const { databaseMs, isKept } = await lookAtClock(db)
  if (isKept || leaseMs === null) return databaseMs
  const moved = await keepClock(db, leaseMs)
  if (moved !== null) {
    log.warn(
      moved.seconds > 0
        ? 'the clock of the database went back; what waited for a time was moved back with it'
        : 'operations were due later than any wait, and are due at the end of the longest one',
      { ...moved },
    )
    onMoved()
  }
  return databaseMs
}

/** So that the row is not written each time. */
const wholeSeconds = (ms: number): number => Math.round(ms / 1_000) * 1_000
