import { isUnavailable } from '#database/unreachable.ts'
import { combineTasks, runEvery } from '../deps/periodic-task.ts'
import type { PeriodicTask } from '../deps/periodic-task.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import {
  deleteOldNotifications,
  endFollowedOperations,
  escalate,
  wakeNotifications,
} from '../store/inbox/notifications.ts'
import {
  deleteOldDeliveries,
  expireDeliveries,
  reportRetrying,
  takeDeliveries,
} from '../store/webhooks/deliver.ts'
import type { DueDelivery } from '../store/webhooks/deliver.ts'
import { deliver } from './deliver.ts'

export interface NotificationOptions {
  /** How often to look for deliveries and for what is due in inboxes, in milliseconds; default 2,000. */
  pollMs?: number
  /** How often to look for long retries, failures to escalate and old deliveries, in milliseconds; default 15,000. */
  scanMs?: number
  /** Nothing is sent while it resolves to true. */
  isPaused?: () => Promise<boolean>
}

/** How many deliveries one replica sends at once. */
const DELIVERIES_MAX = 20

/**
 * Sends notifications to webhooks, and those to people that no change makes by itself. Any number of replicas may
 * do so on one database: each takes different deliveries.
 */
export function startNotifications(
  deps: RuntimeDeps,
  { pollMs = 2_000, scanMs = 15_000, isPaused = () => Promise.resolve(false) }: NotificationOptions = {},
): PeriodicTask {
  const stopped = new AbortController()
  const isStopped = () => stopped.signal.aborted

  const inFlight = new Map<DueDelivery, Promise<void>>()
  const start = (delivery: DueDelivery): void => {
    const done = deliver(deps, delivery, stopped.signal)
      // it is sent again when the lease of this attempt ends
      .catch((error: unknown) =>
        deps.log.warn('a delivery was not recorded', { deliveryId: delivery.delivery_id }, error),
      )
      .then(() => void inFlight.delete(delivery))
    inFlight.set(delivery, done)
  }
  const inFlightOf = (): Map<string, number> => {
    const byWebhook = Map.groupBy(inFlight.keys(), (delivery) => delivery.webhook_id)
    return new Map([...byWebhook].map(([webhookId, deliveries]) => [webhookId, deliveries.length]))
  }
  /** Sends until nothing is due and nothing is in flight. A receiver that does not answer delays no other. */
  const send = async (): Promise<void> => {
    while (!isStopped() && !(await isPaused())) {
      const free = DELIVERIES_MAX - inFlight.size
      const due = free === 0 ? [] : await takeDeliveries(deps.db, free, inFlightOf())
      for (const delivery of due) start(delivery)
      if (due.length > 0) continue
      if (inFlight.size === 0) return
      await Promise.race([...inFlight.values(), deps.clock.sleep(pollMs, stopped.signal).catch(() => {})])
    }
  }
  const scan = async (): Promise<void> => {
    if (await isPaused()) return
    const failures: unknown[] = []
    // what takes too long for one of them must not keep the others from their work
    for (const step of [
      reportRetrying,
      expireDeliveries,
      deleteOldDeliveries,
      deleteOldNotifications,
      escalate,
    ])
      await step(deps.db).catch((error: unknown) => failures.push(error))
    // what takes too long may work the next time; another failure needs somebody who reads of it
    if (failures.length > 0) throw failures.find((failure) => !isUnavailable(failure)) ?? failures[0]
  }
  /** What is in an inbox because of the time, or because of a success. */
  const tellPeople = async (): Promise<void> => {
    if (await isPaused()) return
    await endFollowedOperations(deps.db)
    await wakeNotifications(deps.db)
  }
  const every = (everyMs: number, round: () => Promise<void>): PeriodicTask =>
    runEvery(
      deps,
      { everyMs, failureMessage: 'notifications could not be sent', first: 'immediately' },
      round,
    )
  const tasks = combineTasks([every(pollMs, send), every(scanMs, scan), every(pollMs, tellPeople)])
  return {
    async stop() {
      stopped.abort()
      await tasks.stop()
      await Promise.all(inFlight.values())
    },
  }
}
