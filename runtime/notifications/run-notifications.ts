import type { PeriodicTask } from '../deps/periodic-task.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { deleteOldDeliveries, reportRetrying } from '../store/webhooks/deliver.ts'
import { deliverDue } from './deliver.ts'

export interface NotificationOptions {
  /** How often to look for deliveries, in milliseconds; default 2,000. */
  pollMs?: number
  /** How often to look for long retries and old deliveries, in milliseconds; default 15,000. */
  scanMs?: number
  /** Nothing is sent while it resolves to true. */
  isPaused?: () => Promise<boolean>
}

const AT_ONCE = 10

/** Sends notifications. Any number of replicas may do so on one database: each takes deliveries of its own. */
export function startNotifications(
  deps: RuntimeDeps,
  { pollMs = 2_000, scanMs = 15_000, isPaused = () => Promise.resolve(false) }: NotificationOptions = {},
): PeriodicTask {
  const stopped = new AbortController()
  const isStopped = () => stopped.signal.aborted

  const send = async (): Promise<void> => {
    if (await isPaused()) return
    while (!isStopped() && (await deliverDue(deps, AT_ONCE, stopped.signal)) === AT_ONCE);
  }
  const scan = async (): Promise<void> => {
    if (await isPaused()) return
    await reportRetrying(deps.db)
    await deleteOldDeliveries(deps.db)
  }
  const repeat = async (task: () => Promise<void>, pauseMs: number): Promise<void> => {
    while (!isStopped()) {
      await task().catch((error: unknown) => deps.log.warn('notifications could not be sent', {}, error))
      if (!isStopped()) await deps.clock.sleep(pauseMs, stopped.signal).catch(() => undefined)
    }
  }
  const running = Promise.all([repeat(send, pollMs), repeat(scan, scanMs)])
  return {
    async stop() {
      stopped.abort()
      await running
    },
  }
}
