import { createHash, randomBytes } from 'node:crypto'
import { createTokenBuckets } from '#http-kit/token-bucket.ts'
import { keepLimitSecret, returnToken, takeToken } from '../store/sign-in-limits.ts'
import type { Limit } from '../store/sign-in-limits.ts'
import type { BffDb } from '../store/tables.ts'

/**
 * Rows of the limiter's table. Keys may share a row, which makes the limit stricter but never removes it. Which of them do depends on a
 * secret: nobody can make up a name that empties the row of somebody else.
 */
const BUCKETS = 2 ** 16
const SECRET_BYTES = 6

const MINUTE = 60

// Password guesses. `pair` stops attacks on one account; `user` and `address` stop attacks from many addresses
// or on many names, without locking a person out immediately.
const GUESSES: Record<'pair' | 'user' | 'address', Limit> = {
  pair: { capacity: 10, secondsPerToken: 1.5 * MINUTE },
  user: { capacity: 100, secondsPerToken: 9 },
  address: { capacity: 100, secondsPerToken: 9 },
}
/** Sign-ins started or finished by one address; each writes a row and may call the identity provider. */
const STEPS: Limit = { capacity: 300, secondsPerToken: 1 }

/** `wasRight` returns the tokens of this guess, so that only wrong ones count. */
export type Guess =
  | { isAllowed: true; wasRight(): Promise<void> }
  /** After that many seconds there is a token again. */
  | { isAllowed: false; waitSeconds: number }

export interface SignInLimiter {
  /** Takes a token for one password guess, unless there were too many wrong ones. */
  guess(who: { username: string; address: string }): Promise<Guess>
  /** Whether an address may start or finish another sign-in. */
  step(address: string): Promise<boolean>
}

/**
 * The sign-in limiter. It is stored in the database, so it survives restarts and applies to all replicas
 * together. Steps are counted in memory first, so that a flood of them does not become a flood of statements.
 */
export function createSignInLimiter(db: BffDb): SignInLimiter {
  const local = createTokenBuckets({ perSecond: 1 / STEPS.secondsPerToken, burst: STEPS.capacity })
  let secret: number | null = null
  const bucketOf = async (...parts: string[]): Promise<number> => {
    secret ??= await keepLimitSecret(db, randomBytes(SECRET_BYTES).readUIntBE(0, SECRET_BYTES))
    const text = JSON.stringify([secret, ...parts])
    return createHash('sha256').update(text).digest().readUInt32BE() % BUCKETS
  }
  return {
    async guess({ username, address }) {
      const name = username.toLowerCase()
      const taken = [
        { bucket: await bucketOf('pair', name, address), limit: GUESSES.pair },
        { bucket: await bucketOf('user', name), limit: GUESSES.user },
        { bucket: await bucketOf('address', address), limit: GUESSES.address },
      ]
      for (const { bucket, limit } of taken)
        if (!(await takeToken(db, bucket, limit)))
          return { isAllowed: false, waitSeconds: limit.secondsPerToken }
      return {
        isAllowed: true,
        async wasRight() {
          for (const { bucket, limit } of taken) await returnToken(db, bucket, limit.capacity)
        },
      }
    },
    step: async (address) => local.take(address) && takeToken(db, await bucketOf('step', address), STEPS),
  }
}
