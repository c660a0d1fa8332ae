import type { Trouble } from '#contract/runtime-api/troubles.ts'
import type { TroubleKind } from '#contract/runtime-api/vocabulary.ts'
import type { ProcessTrouble } from '#contract/runtime-api/operation-context.ts'
import { whyReadOnly } from '#database/read-only.ts'
import { combineTasks, runEvery } from './deps/periodic-task.ts'
import type { PeriodicTask } from './deps/periodic-task.ts'
import type { RuntimeDeps } from './deps/runtime-deps.ts'
import type { SpaceWatch } from './http/failures.ts'
import { noteWorker, noWorkerSince, recordTrouble } from './store/troubles.ts'

const LOOK_EVERY_MS = 2_000
const NOTE_EVERY_MS = 10_000
/** After a start or an outage nobody has seen a worker for a while, although one is about to look. */
const WORKERS_SETTLE_MS = 60_000

/** What a trouble of the database is called among the process events, once it is over. */
const RECORDED: Record<Exclude<TroubleKind, 'NO_WORKER' | 'STANDBY_UNUSED'>, ProcessTrouble> = {
  DATABASE_READ_ONLY: 'database.read_only',
  DATABASE_FULL: 'database.full',
}

export interface TroubleWatch extends PeriodicTask {
  /** What is wrong now, as of the last look. */
  current(): readonly Trouble[]
}

/**
 * Looks for what keeps the platform itself from working: a database that accepts no writes or has no space left, and work that no
 * worker looks at. A database that cannot be reached is not a trouble of this kind: then requests fail. A trouble of the
 * database is recorded when it is over, so that operations can tell it from an interruption.
 *
 * @param polls how often the worker of this replica has looked for work; null without a worker.
 */
export function watchTroubles(
  deps: Pick<RuntimeDeps, 'db' | 'clock' | 'log'>,
  { space, kid, polls }: { space: SpaceWatch; kid: string; polls: () => number | null },
): TroubleWatch {
  const { db, clock, log } = deps
  const since = new Map<TroubleKind, string>()
  let settledAt = clock.monotonic() + WORKERS_SETTLE_MS
  let noted: number | null = null

  const findDatabaseTrouble = async (): Promise<keyof typeof RECORDED | null> => {
    if ((await whyReadOnly(db, 'runtime')) !== null) return 'DATABASE_READ_ONLY'
    return (await space.isOut(db)) ? 'DATABASE_FULL' : null
  }
  const look = async (): Promise<void> => {
    try {
      const now = clock.now().toISOString()
      const ofDatabase = await findDatabaseTrouble()
      if (ofDatabase !== null && !since.has(ofDatabase)) {
        since.set(ofDatabase, now)
        log.warn('the database accepts no writes', { trouble: ofDatabase })
      }
      for (const kind of ['DATABASE_READ_ONLY', 'DATABASE_FULL'] as const) {
        const began = since.get(kind)
        if (kind === ofDatabase || began === undefined) continue
        // if that fails, it is tried again with the next look
        if (ofDatabase === null) await recordTrouble(db, { kind: RECORDED[kind], since: began, until: now })
        since.delete(kind)
        log.info('the database accepts writes again', { trouble: kind, since: began })
      }
      if (ofDatabase !== null) settledAt = clock.monotonic() + WORKERS_SETTLE_MS
      const left = clock.monotonic() < settledAt ? null : await noWorkerSince(db)
      if (left === null) since.delete('NO_WORKER')
      else since.set('NO_WORKER', left)
    } catch (error) {
      settledAt = clock.monotonic() + WORKERS_SETTLE_MS
      throw error
    }
  }
  const note = async (): Promise<void> => {
    const polled = polls()
    if (polled === null || polled === noted || since.has('DATABASE_READ_ONLY')) return
    await noteWorker(db, kid)
    noted = polled
  }
  const looking = combineTasks([
    runEvery(
      deps,
      {
        everyMs: LOOK_EVERY_MS,
        failureMessage: 'the state of the platform could not be read',
        first: 'later',
      },
      look,
    ),
    runEvery(
      deps,
      { everyMs: NOTE_EVERY_MS, failureMessage: 'the worker could not be noted', first: 'later' },
      note,
    ),
  ])
  return {
    current: () => [...since].map(([kind, at]) => ({ kind, since: at })),
    stop: () => looking.stop(),
  }
}
