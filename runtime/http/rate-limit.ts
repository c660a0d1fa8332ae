import { TransportError } from '#http-kit/problem.ts'
import type { Clock } from '#http-kit/clock.ts'

export interface RateLimit {
  /** Requests that one caller may make in a second, over time. */
  perSecond: number
  /** Requests that one caller may make at once. */
  burst: number
}

const MAX_CALLERS = 10_000

/**
 * A token bucket for each caller, so that one that runs wild cannot take the runtime from the others. Kept in memory, for
 * callers that are already authenticated: nobody can flood it with names.
 *
 * @throws TransportError 429 with `Retry-After`, from the function that is returned.
 */
export function createRateLimiter(
  limit: RateLimit,
  clock: Pick<Clock, 'monotonic'>,
): (caller: string) => void {
  const buckets = new Map<string, { tokens: number; at: number }>()
  return (caller) => {
    const now = clock.monotonic()
    const bucket = buckets.get(caller) ?? { tokens: limit.burst, at: now }
    const tokens = Math.min(limit.burst, bucket.tokens + ((now - bucket.at) / 1000) * limit.perSecond)
    // deleted and set again: the map's first entry is the one that was quiet longest
    buckets.delete(caller)
    if (buckets.size >= MAX_CALLERS) buckets.delete(buckets.keys().next().value ?? '')
    buckets.set(caller, { tokens: tokens < 1 ? tokens : tokens - 1, at: now })
    if (tokens >= 1) return
    const seconds = Math.ceil((1 - tokens) / limit.perSecond)
    throw new TransportError('RATE_LIMITED', undefined, { 'retry-after': String(Math.max(1, seconds)) })
  }
}
