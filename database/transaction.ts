import { setTimeout as sleep } from 'node:timers/promises'
import type { IsolationLevel, Kysely, Transaction } from 'kysely'
import type pg from 'pg'

/** The PostgreSQL error codes that this program acts on. */
export const PG = {
  featureNotSupported: '0A000',
  notNullViolation: '23502',
  foreignKeyViolation: '23503',
  uniqueViolation: '23505',
  checkViolation: '23514',
  exclusionViolation: '23P01',
  serializationFailure: '40001',
  deadlockDetected: '40P01',
  idleInTransactionTimeout: '25P03',
  duplicateDatabase: '42P04',
  duplicateSchema: '42P06',
  duplicateTable: '42P07',
  duplicateColumn: '42701',
  duplicateObject: '42710',
  duplicateFunction: '42723',
  undefinedColumn: '42703',
  undefinedTable: '42P01',
  insufficientPrivilege: '42501',
  invalidParameterValue: '22023',
  lockNotAvailable: '55P03',
  queryCanceled: '57014',
  adminShutdown: '57P01',
  crashShutdown: '57P02',
  cannotConnectNow: '57P03',
  insufficientResources: '53000',
  diskFull: '53100',
  outOfMemory: '53200',
  tooManyConnections: '53300',
  readOnly: '25006',
  invalidStatementName: '26000',
  duplicateStatement: '42P05',
  untranslatableCharacter: '22P05',
} as const

type PgErrorCode = (typeof PG)[keyof typeof PG]

/** Whether `error` is a PostgreSQL error with this code, for example `isPgError(error, PG.uniqueViolation)`. */
export function isPgError(
  error: unknown,
  code: PgErrorCode,
): error is Error & { code: string; constraint?: string } {
  return error instanceof Error && 'code' in error && error.code === code
}

/** Whether a transaction failed because of a concurrent one: `inTransaction` repeats it. */
export function isConflict(error: unknown): boolean {
  return isPgError(error, PG.serializationFailure) || isPgError(error, PG.deadlockDetected)
}

type TransactionOptions = {
  /** Default: the server's, `read committed`. */
  isolation?: IsolationLevel
  /** Maximum number of attempts of the whole of `fn`; default 6. */
  attempts?: number
}

/**
 * Runs `fn` in one transaction and commits, or rolls back and rethrows. A serialization failure or a deadlock repeats
 * `fn` in a new transaction, so `fn` must have no effects outside the database. A connection lost during commit is an
 * error and never retried: it is unknown whether the commit was applied. A session that was opened while the database
 * was read-only is replaced once.
 */
export async function inTransaction<Tables, Result>(
  db: Kysely<Tables>,
  fn: (transaction: Transaction<Tables>) => Promise<Result>,
  options: TransactionOptions = {},
): Promise<Result> {
  const attempts = options.attempts ?? 6
  const builder = db.transaction()
  const transaction = options.isolation ? builder.setIsolationLevel(options.isolation) : builder
  let hasNewSession = false
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction.execute(fn)
    } catch (error) {
      if (isRefusedByOldSession(error) && !hasNewSession) {
        hasNewSession = true
        continue
      }
      if (!isConflict(error) || attempt >= attempts) throw error
      await (retryPauses.get(db) ?? pause)(attempt)
    }
  }
}

/** How long to pause after a conflict, where `attempt` counts the conflicts so far. */
type Pause = (attempt: number) => Promise<void>

const retryPauses = new WeakMap<object, Pause>()

/** For a database in virtual time: from now on its transactions pause this way. */
export function setRetryPause<Tables>(db: Kysely<Tables>, retryPause: Pause): void {
  retryPauses.set(db, retryPause)
}

/** Full jitter, so that conflicting transactions do not collide in step. */
const pause: Pause = (attempt) => sleep(Math.random() * Math.min(10 * 2 ** attempt, 500))

/**
 * A session stays read-only after the database no longer is, if it was opened on a standby or under a setting. So when
 * a session rejects a write, it and all other sessions of its pool are closed: idle ones now, others when they are
 * released.
 *
 * Returns the function to call for each such error.
 */
export function replaceReadOnlySessions(pool: pg.Pool): (client: pg.PoolClient, refusal: Error) => void {
  const generations = new WeakMap<pg.PoolClient, number>()
  const released = new WeakSet<pg.PoolClient>()
  let generation = 0
  pool.on('connect', (client) => generations.set(client, generation))
  pool.on('release', (_, client) => {
    released.add(client)
    if (generations.get(client) !== generation) void client.end()
  })
  return (client, refusal) => {
    if (released.has(client)) refusals.add(refusal)
    generation++
    discardIdle(pool)
  }
}

const refusals = new WeakSet<Error>()

/** Whether an old session rejected a write as read-only, so that a new session may well accept it. */
function isRefusedByOldSession(error: unknown): boolean {
  return error instanceof Error && refusals.has(error)
}

/** Closes the idle connections of a pool, for new ones may lead to another server. */
export function discardIdle(pool: pg.Pool): void {
  for (let idle = pool.idleCount; idle > 0; idle--) discardOne(pool)
}

function discardOne(pool: pg.Pool): void {
  pool.connect().then(
    (client) => client.release(true),
    // the next user of the pool hits the same error and reports it
    () => undefined,
  )
}
