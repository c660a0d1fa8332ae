import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import type { PeriodicTask } from '../deps/periodic-task.ts'
import { findUnfinished } from '../store/batches/run-items.ts'
import { WakeableTimer } from '../worker/wakeable-timer.ts'
import { advanceBatch } from './advance-batch.ts'
import type { Advance } from './advance-batch.ts'

export interface BatchRunner extends PeriodicTask {
  /** Looks at the batches soon: one may have been made or continued. */
  wake(): void
  /** An operation may have ended. */
  noteProgress(): void
}

export interface BatchRunnerOptions {
  /** How often to look at the batches without being woken, in milliseconds; default 1,000. */
  pollMs?: number
  /** Called after items have started. */
  onStarted: () => void
  /** Nothing is started while it resolves to true. */
  isPaused: () => Promise<boolean>
}

/** Operations may end many times a second; their batches are looked at less often. */
const PAUSE_MS = 50
/** For how long the batches of one person are advanced before those of the others have their turn. */
const TURN_MS = 250

/** Carries out batches. Any number of replicas may do so on one database: each step locks its batch. */
export function startBatchRunner(deps: RuntimeDeps, options: BatchRunnerOptions): BatchRunner {
  const { pollMs = 1_000, onStarted, isPaused } = options
  const stopped = new AbortController()
  const timer = new WakeableTimer(deps.clock)
  // while no batch is unfinished, ended operations are of no interest
  let hasBatches = true

  /** Of each person, the batch that was advanced last: the next turn begins after it. */
  const last = new Map<string, string>()

  const runAll = async (): Promise<void> => {
    if (await isPaused()) return
    const unfinished = await findUnfinished(deps.db, last)
    hasBatches = unfinished.length > 0
    const people = Map.groupBy(unfinished, (batch) => batch.requested_by_id)
    for (const person of last.keys()) if (!people.has(person)) last.delete(person)
    for (const [person, ofPerson] of people) {
      const end = deps.clock.monotonic() + TURN_MS
      const isOver = (): boolean => stopped.signal.aborted || deps.clock.monotonic() >= end
      for (const { batch_id: batchId } of ofPerson) {
        if (isOver()) break
        // the other batches must not wait for this one
        await advanceUntil(batchId, isOver).catch((error: unknown) =>
          deps.log.warn('a batch could not be advanced', { batchId }, error),
        )
        last.set(person, batchId)
      }
    }
  }

  const advanceUntil = async (batchId: string, isOver: () => boolean): Promise<void> => {
    let hasStarted = false
    try {
      let advance: Advance
      do {
        advance = await advanceBatch(deps, batchId)
        hasStarted ||= advance === 'started'
      } while (advance !== 'waiting' && !isOver())
      // it goes on after those of the others
      if (advance !== 'waiting') timer.wake()
    } finally {
      if (hasStarted) onStarted()
    }
  }

  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await runAll().catch((error: unknown) => deps.log.warn('batches could not be advanced', {}, error))
      if (!stopped.signal.aborted) await timer.sleep(pollMs)
    }
  }
  const running = run()
  return {
    wake: () => timer.wake(),
    noteProgress() {
      if (hasBatches) timer.wakeIn(PAUSE_MS)
    },
    async stop() {
      stopped.abort()
      timer.wake()
      await running
    },
  }
}
