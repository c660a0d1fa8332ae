import { uuidv7 } from '#http-kit/random.ts'
import { startBatchRunner } from './batches/run-batches.ts'
import { startChangeRequests } from './change-requests/run-change-requests.ts'
import type { RuntimeDeps } from './deps/runtime-deps.ts'
import type { SpaceWatch } from './http/failures.ts'
import { startNotifications } from './notifications/run-notifications.ts'
import { startWorker } from './worker/worker.ts'
import type { Worker, WorkerOptions } from './worker/worker.ts'

/** What a replica does that runs operations. */
export interface Work {
  worker: Worker
  /** Looks for what is due. */
  wake(): void
  stop(): Promise<void>
}

/**
 * Starts to run operations, batches and change requests, and to send notifications.
 *
 * @param onEvents called after a commit with events.
 * @param onWork called after a commit that started operations.
 */
export function startWork(
  deps: RuntimeDeps,
  settings: Omit<WorkerOptions, 'owner'>,
  {
    space,
    outbound,
    onEvents,
    onWork,
  }: { space: SpaceWatch; outbound: RuntimeDeps['http']; onEvents: () => void; onWork: () => void },
): Work {
  // without the current keys, it could neither read nor finish what it takes from other replicas
  const isPaused = async () => deps.vault.lacksKeys() || (await space.isOut(deps.db))
  const worker: Worker = startWorker(deps, {
    ...settings,
    isPaused,
    owner: uuidv7(deps),
    onProgress() {
      onEvents()
      batches.noteProgress()
    },
  })
  const batches = startBatchRunner(deps, {
    isPaused,
    onStarted() {
      worker.wake()
      onWork()
    },
    ...(settings.pollMs !== undefined && { pollMs: settings.pollMs }),
  })
  const wake = () => {
    worker.wake()
    batches.wake()
  }
  const changeRequests = startChangeRequests(deps, {
    everyMs: settings.pollMs ?? 1_000,
    isPaused,
    onStarted() {
      wake()
      onWork()
    },
  })
  // a receiver that is down does not count as a plugin that does not answer
  const notifications = startNotifications({ ...deps, http: outbound }, { isPaused })
  return {
    worker,
    wake,
    async stop() {
      // first, because they wake the worker
      await changeRequests.stop()
      await batches.stop()
      await notifications.stop()
      await worker.stop()
    },
  }
}
