import type { Clock } from './clock.ts'
import type { Log, LogFields } from './log.ts'

const EVERY_MS = 10_000

/**
 * A log for code that fails again and again while something that everything needs is away. Of the errors that have a
 * reason one line in ten seconds is written, with the reason instead of the error and its stack, and with how many lines
 * were left out since the last. Everything else is written as it is.
 */
export function throttledLog(
  log: Log,
  clock: Pick<Clock, 'monotonic'>,
  /** Why an error is one of an outage; null for any other. */
  reasonOf: (error: unknown) => string | null,
): Log {
  let writtenAt = -Infinity
  let leftOut = 0
  const sparing =
    (write: Log['warn']): Log['warn'] =>
    (message, fields: LogFields = {}, error?: unknown) => {
      const reason = reasonOf(error)
      if (reason === null) return write(message, fields, error)
      const now = clock.monotonic()
      if (now - writtenAt < EVERY_MS) {
        leftOut++
        return
      }
      write(message, { ...fields, reason, ...(leftOut > 0 && { leftOut }) })
      writtenAt = now
      leftOut = 0
    }
  return { ...log, warn: sparing(log.warn), error: sparing(log.error) }
}
