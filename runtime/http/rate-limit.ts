import type { Clock } from '#http-kit/clock.ts'
import { TransportError } from '#http-kit/problem.ts'
import { createTokenBuckets } from '#http-kit/token-bucket.ts'
import type { Rate } from '#http-kit/token-bucket.ts'

/**
 * Limits the requests of each caller, so that one cannot exhaust the runtime for the others. Callers are authenticated
 * before they are counted.
 *
 * @throws TransportError 429 with `Retry-After`, from the returned function.
 */
export function createRateLimiter(rate: Rate, clock: Pick<Clock, 'monotonic'>): (caller: string) => void {
  const buckets = createTokenBuckets(rate, () => clock.monotonic())
  return (caller) => {
    if (buckets.take(caller)) return
    const seconds = Math.max(1, Math.ceil(buckets.untilNext(caller) / 1000))
    throw new TransportError('RATE_LIMITED', undefined, { 'retry-after': String(seconds) })
  }
}
