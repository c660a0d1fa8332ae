import { whyUnreachable } from '#database/unreachable.ts'
import type { Clock } from '#edge/clock.ts'
import type { Log, LogFields } from '#edge/log.ts'

const EVERY_MS = 10_000

/**
 * The log of one that fails at each of many things while the database is away, and again at each repeat: of these lines
 * one in ten seconds is written, with how many were left out since the last.
 */
export function sparingLog(log: Log, clock: Pick<Clock, 'monotonic'>): Log {
  let writtenAt = -Infinity
  let leftOut = 0
  const sparing =
    (write: Log['warn']): Log['warn'] =>
    (message, fields: LogFields = {}, error?: unknown) => {
      if (!whyUnreachable(error).mayPass) return write(message, fields, error)
      const now = clock.monotonic()
      if (now - writtenAt < EVERY_MS) {
        leftOut++
        return
      }
      write(message, leftOut === 0 ? fields : { ...fields, leftOut }, error)
      writtenAt = now
      leftOut = 0
    }
  return { ...log, warn: sparing(log.warn), error: sparing(log.error) }
}
