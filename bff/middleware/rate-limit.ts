import type { Context, MiddlewareHandler } from 'hono'
import { ConsoleFailure } from '../failure.ts'

export interface Rate {
  perSecond: number
  burst: number
}

interface Bucket {
  tokens: number
  at: number
}

const MAX_KEYS = 20_000

export interface Buckets {
  /** Takes a token; false when the key has none left. */
  take(key: string): boolean
  /** Returns a token that was taken. */
  giveBack(key: string): void
}

/** Token buckets in memory, one set for each replica; the longest unused go when there are too many. */
export function createBuckets(rate: Rate, now: () => number = () => performance.now()): Buckets {
  const buckets = new Map<string, Bucket>()
  return {
    take(key) {
      const at = now()
      const held = buckets.get(key) ?? { tokens: rate.burst, at }
      const tokens = Math.min(rate.burst, held.tokens + ((at - held.at) / 1000) * rate.perSecond)
      // deleting first keeps the map in order of use
      buckets.delete(key)
      if (buckets.size >= MAX_KEYS) buckets.delete(buckets.keys().next().value ?? '')
      buckets.set(key, { tokens: tokens >= 1 ? tokens - 1 : tokens, at })
      return tokens >= 1
    },
    giveBack(key) {
      const held = buckets.get(key)
      if (held !== undefined) held.tokens = Math.min(rate.burst, held.tokens + 1)
    },
  }
}

export const READS: Rate = { perSecond: 100, burst: 400 }
export const WRITES: Rate = { perSecond: 20, burst: 100 }

/** At most so many reads and writes for each key (a person); 429 with `Retry-After` beyond. */
export function rateLimit(options: {
  keyOf: (c: Context) => string
  reads?: Rate
  writes?: Rate
}): MiddlewareHandler {
  const reads = createBuckets(options.reads ?? READS)
  const writes = createBuckets(options.writes ?? WRITES)
  return async (c, next) => {
    const buckets = c.req.method === 'GET' || c.req.method === 'HEAD' ? reads : writes
    if (!buckets.take(options.keyOf(c))) throw rateLimited(c)
    await next()
  }
}

/** The failure for too many requests; sets `Retry-After` on the answer. */
export function rateLimited(c: Context): ConsoleFailure {
  c.header('Retry-After', '1')
  return new ConsoleFailure('RATE_LIMITED', { retryable: true })
}
