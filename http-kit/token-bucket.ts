/** A steady rate, with room for a burst. */
export interface Rate {
  /** Tokens that come back in a second. */
  perSecond: number
  /** Tokens of a key that has not been used for a while. */
  burst: number
}

export interface TokenBuckets {
  /** Takes tokens of the key, by default one; false when it has not enough left, which takes none. */
  take(key: string, count?: number): boolean
  /** Takes tokens for what has been done already, even if the key has fewer: it has none until they have come back. It owes at most a burst. */
  owe(key: string, count: number): void
  /** Puts back a token that was taken. */
  giveBack(key: string): void
  /** Milliseconds until the key has a token; 0 when it has one now. */
  untilNext(key: string): number
}

/** The least recently used buckets are dropped beyond this number: an attacker can invent keys. */
const MAX_KEYS = 20_000

/**
 * A token bucket for each key, kept in the memory of this process.
 *
 * @param monotonic milliseconds that never run backwards.
 */
export function createTokenBuckets(
  { perSecond, burst }: Rate,
  monotonic: () => number = () => performance.now(),
): TokenBuckets {
  const buckets = new Map<string, { tokens: number; at: number }>()
  const tokensOf = (key: string): number => {
    const bucket = buckets.get(key)
    if (bucket === undefined) return burst
    return Math.min(burst, bucket.tokens + ((monotonic() - bucket.at) / 1000) * perSecond)
  }
  const store = (key: string, tokens: number): void => {
    // deleted and set again: the first entry of the map is the least recently used one
    buckets.delete(key)
    if (buckets.size >= MAX_KEYS) buckets.delete(buckets.keys().next().value ?? '')
    buckets.set(key, { tokens, at: monotonic() })
  }
  return {
    take(key, count = 1) {
      const tokens = tokensOf(key)
      // a request that costs more than a burst is possible with a full bucket
      const price = Math.min(count, burst)
      store(key, tokens >= price ? tokens - price : tokens)
      return tokens >= price
    },
    owe(key, count) {
      if (count > 0) store(key, Math.max(-burst, tokensOf(key) - count))
    },
    giveBack(key) {
      if (buckets.has(key)) store(key, Math.min(burst, tokensOf(key) + 1))
    },
    untilNext: (key) => (Math.max(0, 1 - tokensOf(key)) / perSecond) * 1000,
  }
}

/** Serves a few requests of each key at the same time, and the others after them, so that those of one key wait only for each other. */
export interface Turns {
  /** Null if too many of the key wait already, or if it has waited too long, or its client has left (`signal`), before its turn: then it is not served. */
  take<Result>(key: string, serve: () => Promise<Result>, signal?: AbortSignal): Promise<Result | null>
}

/**
 * @param waitingMax how many requests of a key may wait.
 * @param waitMs for how many milliseconds each may wait; by default without an end.
 */
export function createTurns({
  atOnce,
  waitingMax,
  waitMs,
}: {
  atOnce: number
  waitingMax: number
  waitMs?: number
}): Turns {
  /** Of each key that is served, those that wait for a turn. */
  const served = new Map<string, { count: number; waiting: Set<() => void> }>()
  return {
    async take(key, serve, signal) {
      const turns = served.get(key) ?? { count: 0, waiting: new Set() }
      served.set(key, turns)
      if (turns.count < atOnce) turns.count += 1
      else if (turns.waiting.size >= waitingMax || !(await hasTurn(turns.waiting, signal, waitMs)))
        return null
      try {
        return await serve()
      } finally {
        const [next] = turns.waiting
        if (next === undefined) turns.count -= 1
        // it takes over this turn
        else next()
        if (turns.count === 0) served.delete(key)
      }
    },
  }
}

/** Waits among the others until it is called, which gives it a turn, or until its time is over or its client has left. */
function hasTurn(
  waiting: Set<() => void>,
  signal: AbortSignal | undefined,
  waitMs: number | undefined,
): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isServed: boolean): void => {
      waiting.delete(take)
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
      resolve(isServed)
    }
    const take = (): void => end(true)
    const leave = (): void => end(false)
    const timer = waitMs === undefined ? undefined : setTimeout(leave, waitMs).unref()
    waiting.add(take)
    signal?.addEventListener('abort', leave)
    if (signal?.aborted === true) leave()
  })
}
