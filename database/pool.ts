import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'

import { giveUpReadOnlySessions } from './read-only-sessions.ts'
import { prepareRecurring, RecurringStatements } from './recurring.ts'
import { clientConfig, type ConnectionSettings } from './settings.ts'
import { isPgError, PG } from './transaction.ts'
import { valueTypes } from './values.ts'

export type PoolOptions = {
  /** Most connections at once; default 10. */
  max?: number
  /** Shown in `pg_stat_activity`; default `bundle-console`. */
  applicationName?: string
  /** The server cancels a statement that runs longer; default 30,000. */
  statementTimeoutMs?: number
  /** The server fails a statement that waits longer for a lock; default 5,000. */
  lockTimeoutMs?: number
  /**
   * The server ends a connection that sits in an open transaction longer; default 10,000. It is what frees the locks
   * of a paused process, so it bounds every take-over.
   */
  idleInTransactionTimeoutMs?: number
  /** How long to wait for a connection, a new one or one in use; default 10,000. */
  connectTimeoutMs?: number
  /**
   * Prepares statements that recur, so that each connection plans them once, and by keys: see KEPT_PLANS. Behind a pooler
   * that gives each transaction another session one statement fails, and none is prepared from then on. Default: false.
   */
  prepareRecurring?: boolean
  /** Called with the error of each statement that fails, before its caller gets it. */
  onStatementError?: (error: unknown) => void
  /** Told of a connection lost while idle. The pool replaces it by itself; default: nobody is told. */
  onIdleError?: (error: Error) => void
}

export type Database<Tables> = {
  db: Kysely<Tables>
  pool: pg.Pool
  /** Waits for the connections in use, then closes all; may be called again. */
  close: () => Promise<void>
}

/**
 * Opens a pool; the first query connects. Every connection has lock, statement and idle-in-transaction time-outs,
 * TCP keep-alive, UTC and the value types of `values.ts`. A query that waits too long for a connection throws.
 * A statement that raises its own `statement_timeout` also needs `query_timeout`, the driver's, which is 10 s longer.
 */
export function openDatabase<Tables>(
  connection: ConnectionSettings,
  options: PoolOptions = {},
): Database<Tables> {
  const pool = new pg.Pool({
    ...connectionConfig(connection, options),
    types: valueTypes,
    max: options.max ?? 10,
    idleTimeoutMillis: 30_000,
  })
  const onReadOnly = giveUpReadOnlySessions(pool)
  pool.on('connect', (client) =>
    endWhenUseless(client, { onReadOnly, onStatementError: options.onStatementError }),
  )
  if (options.prepareRecurring === true) {
    const statements = new RecurringStatements()
    pool.on('connect', (client) => prepareRecurring(client, statements))
  }
  // Without a listener the loss of an idle connection would end the process.
  pool.on('error', (error) => options.onIdleError?.(error))
  // The same for one that is lost in use, between two statements: the next statement says so.
  pool.on('connect', (client) => client.on('error', () => {}))
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  let closed: Promise<void> | undefined
  const close = () => (closed ??= pool.ended ? Promise.resolve() : pool.end())
  return { db, pool, close }
}

/**
 * For plans that are kept however much is in the tables later. One that was made while they were small would look through
 * all of a table, or join all of it, until the next ANALYZE. And by itself the server goes on planning at each execution
 * where it thinks that knowing the values pays, which takes longer than such a statement does.
 */
const KEPT_PLANS = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_mergejoin=off'

/** How each connection of a pool is opened. */
export function connectionConfig(connection: ConnectionSettings, options: PoolOptions): pg.ClientConfig {
  const statementTimeoutMs = options.statementTimeoutMs ?? 30_000
  return {
    ...clientConfig(connection),
    application_name: options.applicationName ?? 'bundle-console',
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + 10_000,
    lock_timeout: options.lockTimeoutMs ?? 5_000,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs ?? 10_000,
    options: ['-c TimeZone=UTC -c DateStyle=ISO', options.prepareRecurring === true ? KEPT_PLANS : '']
      .join(' ')
      .trim(),
    connectionTimeoutMillis: options.connectTimeoutMs ?? 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  }
}

/**
 * Ends a connection, by which the pool makes a new one, where it is of no use any more:
 *
 * - When the network swallows everything, no answer and no error comes for a quarter of an hour. The driver's own
 *   time-out (10 s after the server's should have come) only fails the query and leaves the connection waiting.
 * - A newer release changed a table under a prepared statement.
 * - The server became a standby, or read-only. The next connection is led by name to the new primary.
 * - Somebody cancelled a commit that waited for its synchronous standby. The server says that it is done, with a mere
 *   warning, and a failover may lose it: to us it is as unknown as one whose connection was lost.
 */
function endWhenUseless(
  client: pg.PoolClient,
  {
    onReadOnly,
    onStatementError,
  }: {
    onReadOnly: (client: pg.PoolClient, refusal: Error) => void
    onStatementError: ((error: unknown) => void) | undefined
  },
): void {
  let isUnconfirmed = false
  client.on('notice', ({ routine }) => {
    if (routine === 'SyncRepWaitForLSN') isUnconfirmed = true
  })
  const failed = (error: unknown): void => {
    onStatementError?.(error)
    const isSilent = error instanceof Error && error.message === 'Query read timeout'
    const isOutdated = isPgError(error, PG.featureNotSupported) && /cached plan/.test(error.message)
    if (isSilent || isOutdated) void client.end()
    if (isPgError(error, PG.readOnly)) onReadOnly(client, error)
  }
  // oxlint-disable-next-line typescript/unbound-method -- the proxy passes `this` on
  client.query = new Proxy(client.query, {
    apply(query, self, args) {
      const answer: unknown = Reflect.apply(query, self, args)
      if (!(answer instanceof Promise)) return answer
      answer.catch(failed)
      return answer.then((result: unknown) => {
        if (!isUnconfirmed) return result
        void client.end()
        throw new Error('Connection terminated: a commit was not confirmed by its synchronous standby')
      })
    },
  })
}
