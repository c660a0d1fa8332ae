import { setTimeout as sleep } from 'node:timers/promises'

import type { IsolationLevel, Kysely, Transaction } from 'kysely'

/** The PostgreSQL error codes that this program acts on. */
export const PG = {
  notNullViolation: '23502',
  foreignKeyViolation: '23503',
  uniqueViolation: '23505',
  checkViolation: '23514',
  exclusionViolation: '23P01',
  serializationFailure: '40001',
  deadlockDetected: '40P01',
  idleInTransactionTimeout: '25P03',
  duplicateDatabase: '42P04',
  undefinedTable: '42P01',
  lockNotAvailable: '55P03',
  queryCanceled: '57014',
  adminShutdown: '57P01',
  cannotConnectNow: '57P03',
  untranslatableCharacter: '22P05',
} as const

export type PgErrorCode = (typeof PG)[keyof typeof PG]

/** Whether `error` is PostgreSQL's answer with this code, for example `isPgError(error, PG.uniqueViolation)`. */
export function isPgError(
  error: unknown,
  code: PgErrorCode,
): error is Error & { code: string; constraint?: string } {
  return error instanceof Error && 'code' in error && error.code === code
}

export type TransactionOptions = {
  /** Default: the server's, `read committed`. */
  isolation?: IsolationLevel
  /** How often the whole of `fn` is tried; default 6. */
  attempts?: number
}

/**
 * Runs `fn` in one transaction and commits, or rolls back and throws what `fn` threw. A serialization failure or a
 * deadlock starts `fn` again in a new transaction, so `fn` must have no effect outside the database. A connection
 * lost during commit is thrown, never tried again: nobody knows whether it was applied.
 */
export async function inTransaction<Tables, Result>(
  db: Kysely<Tables>,
  fn: (transaction: Transaction<Tables>) => Promise<Result>,
  options: TransactionOptions = {},
): Promise<Result> {
  const attempts = options.attempts ?? 6
  const builder = db.transaction()
  const transaction = options.isolation ? builder.setIsolationLevel(options.isolation) : builder
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction.execute(fn)
    } catch (error) {
      const again = isPgError(error, PG.serializationFailure) || isPgError(error, PG.deadlockDetected)
      if (!again || attempt >= attempts) throw error
      // Full jitter: those who collided must not collide again in step.
      await sleep(Math.random() * Math.min(10 * 2 ** attempt, 500))
    }
  }
}
