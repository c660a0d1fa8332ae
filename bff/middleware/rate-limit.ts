import type { Context, MiddlewareHandler } from 'hono'
import { createTokenBuckets } from '#http-kit/token-bucket.ts'
import type { Rate } from '#http-kit/token-bucket.ts'
import { ConsoleFailure } from '../failure.ts'

export const READS: Rate = { perSecond: 100, burst: 400 }
export const WRITES: Rate = { perSecond: 20, burst: 100 }

/** Limits reads and writes per key (a person); beyond the limit, 429 with `Retry-After`. */
export function rateLimit(options: {
  keyOf: (c: Context) => string
  reads?: Rate
  writes?: Rate
}): MiddlewareHandler {
  const reads = createTokenBuckets(options.reads ?? READS)
  const writes = createTokenBuckets(options.writes ?? WRITES)
  return async (c, next) => {
    const buckets = c.req.method === 'GET' || c.req.method === 'HEAD' ? reads : writes
    if (!buckets.take(options.keyOf(c))) throw rateLimited(c)
    await next()
  }
}

/** The failure for too many requests; sets `Retry-After` on the response. */
export function rateLimited(c: Context): ConsoleFailure {
  c.header('Retry-After', '1')
  return new ConsoleFailure('RATE_LIMITED', { retryable: true })
}
