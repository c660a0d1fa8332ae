/** A steady rate, with room for a burst. */
export interface Rate {
  /** Tokens that come back in a second. */
  perSecond: number
  /** Tokens of a key that has not been used for a while. */
  burst: number
}

export interface TokenBuckets {
  /** Takes a token of the key; false when it has none left. */
  take(key: string): boolean
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
    take(key) {
      const tokens = tokensOf(key)
      store(key, tokens >= 1 ? tokens - 1 : tokens)
      return tokens >= 1
    },
    giveBack(key) {
      if (buckets.has(key)) store(key, Math.min(burst, tokensOf(key) + 1))
    },
    untilNext: (key) => (Math.max(0, 1 - tokensOf(key)) / perSecond) * 1000,
  }
}
