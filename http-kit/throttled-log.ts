import type { Clock } from './clock.ts'
import type { Log, LogFields } from './log.ts'

const EVERY_MS = 10_000

/**
 * A log for code that fails repeatedly while a shared dependency is down. For errors with a known reason it writes one
 * line in ten seconds, with the reason instead of the error and its stack, and with the number of lines suppressed
 * since the last one. Everything else is written unchanged.
 */
export function throttledLog(
  log: Log,
  clock: Pick<Clock, 'monotonic'>,
  /** The reason if the error belongs to an outage; null for any other error. */
  reasonOf: (error: unknown) => string | null,
): Log {
  let writtenAt = -Infinity
  let skipped = 0
  const throttled =
    (write: Log['warn']): Log['warn'] =>
    (message, fields: LogFields = {}, error?: unknown) => {
      const reason = reasonOf(error)
      if (reason === null) return write(message, fields, error)
      const now = clock.monotonic()
      if (now - writtenAt < EVERY_MS) {
        skipped++
        return
      }
      write(message, { ...fields, reason, ...(skipped > 0 && { suppressed: skipped }) })
      writtenAt = now
      skipped = 0
    }
  return { ...log, warn: throttled(log.warn), error: throttled(log.error) }
}
