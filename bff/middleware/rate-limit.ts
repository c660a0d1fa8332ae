import type { Context, MiddlewareHandler } from 'hono'
import { NO_LOAD } from '#http-kit/load-guard.ts'
import type { LoadGuard } from '#http-kit/load-guard.ts'
import { TransportError } from '#http-kit/problem-response.ts'
import { createTokenBuckets } from '#http-kit/token-bucket.ts'
import type { Rate } from '#http-kit/token-bucket.ts'
import { ConsoleFailure } from '../failure.ts'
import type { Sessions } from '../session/sessions.ts'

const READS: Rate = { perSecond: 100, burst: 400 }
const WRITES: Rate = { perSecond: 20, burst: 100 }

/** The limits of a service account: a program repeats its mistakes faster than a person. */
export const PROGRAM_RATES = {
  reads: { perSecond: 20, burst: 200 },
  writes: { perSecond: 5, burst: 60 },
} satisfies Record<string, Rate>

export interface RateVariables {
  /**
   * Counts a request as more than one, as soon as its cost is known; if it is called again, for what the whole request costs more. Throws
   * RATE_LIMITED if the person has not enough left, and SERVICE_UNAVAILABLE if this process has too much to do for expensive requests.
   */
  spend: (cost: number) => void
}

/**
 * Limits reads and writes per key (a person); beyond the limit, 429 with `Retry-After`. What costs more than an ordinary request
 * says so with `spend`.
 */
export function rateLimit(options: {
  keyOf: (c: Context) => string
  reads?: Rate
  writes?: Rate
  load?: LoadGuard
}): MiddlewareHandler {
  const { load = NO_LOAD } = options
  const reads = bucketsOf(options.reads ?? READS)
  const writes = bucketsOf(options.writes ?? WRITES)
  return async (c, next) => {
    const { buckets, burst } = c.req.method === 'GET' || c.req.method === 'HEAD' ? reads : writes
    const key = options.keyOf(c)
    if (!buckets.take(key)) throw rateLimited(c)
    let spent = 1
    c.set('spend', (cost: number) => {
      // what costs more than a burst needs a full bucket
      const more = Math.min(cost, burst) - spent
      if (more <= 0) return
      if (load.isBehind()) throw new TransportError('SERVICE_UNAVAILABLE', undefined, { 'retry-after': '1' })
      if (!buckets.take(key, more)) throw rateLimited(c)
      spent += more
    })
    await next()
  }
}

const bucketsOf = (rate: Rate) => ({ buckets: createTokenBuckets(rate), burst: rate.burst })

/** The failure for too many requests; sets `Retry-After` on the response. */
function rateLimited(c: Context): ConsoleFailure {
  c.header('Retry-After', '1')
  return new ConsoleFailure('RATE_LIMITED', { retryable: true })
}

/** The limit of requests from one address to this replica without a known session. */
const ANONYMOUS: Rate = { perSecond: 20, burst: 500 }
const MAX_KNOWN = 20_000

/**
 * Wraps sessions to limit made-up ids. A request whose session was not found before takes a token of its
 * address before the database is queried, and is refused with RATE_LIMITED if there is none. It gets the token
 * back if its session is found. People who are signed in are not limited here, even if they share an address
 * with an attacker.
 */
export function limitLookups(
  sessions: Sessions,
  { addressOf, rate = ANONYMOUS }: { addressOf: (c: Context) => string; rate?: Rate | undefined },
): Sessions {
  const buckets = createTokenBuckets(rate)
  // ids of sessions that were found, oldest first
  const known = new Set<string>()

  const admit = (c: Context, id: string | null): { found(): void } => {
    if (id !== null && known.has(id)) return { found: () => undefined }
    const address = addressOf(c)
    if (!buckets.take(address)) throw rateLimited(c)
    return {
      found() {
        buckets.giveBack(address)
        if (known.size >= MAX_KNOWN) known.delete(known.values().next().value ?? '')
        if (id !== null) known.add(id)
      },
    }
  }

  return {
    ...sessions,
    async find(c, options) {
      const id = sessions.idOf(c)
      const admitted = admit(c, id)
      const person = await sessions.find(c, options)
      if (person !== null) admitted.found()
      else if (id !== null) known.delete(id)
      return person
    },
    async end(c, origin) {
      const id = sessions.idOf(c)
      admit(c, id)
      if (id !== null) known.delete(id)
      return sessions.end(c, origin)
    },
  }
}
