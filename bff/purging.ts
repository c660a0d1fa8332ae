import { isUnavailable } from '#database/unreachable.ts'
import { systemClock } from '#http-kit/clock.ts'
import type { Clock } from '#http-kit/clock.ts'
import type { Log } from '#http-kit/log.ts'
import { purgeExpired } from './store/purge-expired.ts'
import type { SessionLimits } from './store/sessions/find-sessions.ts'
import type { BffDb } from './store/tables.ts'

export interface PurgingOptions {
  db: BffDb
  limits: SessionLimits
  /** Default: the machine's. */
  clock?: Pick<Clock, 'now'>
  log: Log
  /** Default 60,000. */
  intervalMs?: number
}

/** Deletes all expired records once a minute. Replicas may do so at the same time. */
export function startPurging({ db, limits, clock = systemClock, log, intervalMs = 60_000 }: PurgingOptions): {
  stop(): Promise<void>
} {
  const stopped = new AbortController()

  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      try {
        while (!stopped.signal.aborted && (await purgeExpired(db, { limits, now: clock.now() })));
      } catch (error) {
        // the next run deletes the rest
        if (!isUnavailable(error)) log.warn('expired sessions and sign-ins could not be deleted', {}, error)
      }
      await systemClock.sleep(intervalMs, stopped.signal).catch(() => undefined)
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
