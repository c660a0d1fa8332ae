import type { Clock } from './clock.ts'
import type { Log, LogFields } from './log.ts'

const INTERVAL_MS = 10_000

/**
 * A log for code that fails repeatedly while a shared dependency is down. For errors with a known reason it writes at
 * most one line every ten seconds, with the reason instead of the error and its stack, and with the number of lines
 * suppressed since the previous one. Everything else is written unchanged.
 */
export function throttledLog(
  log: Log,
  clock: Pick<Clock, 'monotonic'>,
  /** The reason if the error belongs to an outage; null for any other error. */
  reasonOf: (error: unknown) => string | null,
): Log {
  let lastWrittenAt = -Infinity
  let suppressed = 0
  const throttled =
    (write: Log['warn']): Log['warn'] =>
    (message, fields: LogFields = {}, error?: unknown) => {
      const reason = reasonOf(error)
      if (reason === null) return write(message, fields, error)
      const now = clock.monotonic()
      if (now - lastWrittenAt < INTERVAL_MS) {
        suppressed++
        return
      }
      write(message, { ...fields, reason, ...(suppressed > 0 && { suppressed }) })
      lastWrittenAt = now
      suppressed = 0
    }
  return { ...log, warn: throttled(log.warn), error: throttled(log.error) }
}
