import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '#http-kit/log.ts'
import { deleteEvent } from '../store/audit-events/delete-event.ts'
import { deleteOldEvents } from '../store/audit-events/delete-old-events.ts'
import { takeEvent } from '../store/audit-events/take-event.ts'
import type { BffDb } from '../store/tables.ts'
import type { SendEvent } from './send-event.ts'

export interface ForwarderOptions {
  db: BffDb
  send: SendEvent
  log: Log
  /** How often to look for due events, in milliseconds; default 1,000. */
  pollMs?: number | undefined
}

export interface EventForwarder {
  /** Stops, and aborts the request in progress. */
  stop(): Promise<void>
}

const RETENTION_DAYS = 7
/** The maximum pause between two attempts while the runtime cannot be reached. */
const MAX_PAUSE_MS = 5_000

/** Sends due events to the audit of the runtime until it is stopped. Any number of replicas can share the work. */
export function startEventForwarder({ db, send, log, pollMs = 1_000 }: ForwarderOptions): EventForwarder {
  const stopped = new AbortController()
  /** Consecutive failed attempts. */
  let failures = 0

  const sendDue = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const event = await takeEvent(db)
      if (event === undefined) return
      const sent = await send(event, stopped.signal)
      // the runtime may have recorded it; the event will be due again soon
      if (sent.kind === 'undelivered' && stopped.signal.aborted) return
      if (sent.kind === 'undelivered') {
        if (failures === 0) log.warn('audit events are waiting: the runtime cannot be reached')
        failures++
        const dropped = await deleteOldEvents(db, RETENTION_DAYS)
        if (dropped > 0) log.error('audit events that could not be delivered were dropped', { dropped })
        return
      }
      const { errorCode } = sent.kind === 'refused' ? sent : {}
      if (errorCode !== undefined) log.error('the runtime refused an audit event', { errorCode })
      await deleteEvent(db, event.event_id)
      if (failures > 0) log.info('audit events are being delivered again')
      failures = 0
    }
  }

  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await sendDue().catch((error: unknown) => log.warn('audit events could not be delivered', {}, error))
      const pauseMs = Math.min(pollMs * 2 ** Math.min(failures, 20), Math.max(pollMs, MAX_PAUSE_MS))
      await sleep(pauseMs, undefined, { signal: stopped.signal }).catch(() => undefined)
    }
  }
  const running = run()
  return {
    async stop() {
      stopped.abort()
      await running
    },
  }
}
