import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'

import { replaceReadOnlySessions, isPgError, PG } from './transaction.ts'
import { prepareRecurring, RecurringStatements } from './recurring.ts'
import { clientConfig, type ConnectionSettings } from './settings.ts'
import { isPlanOutdated } from './unreachable.ts'
import { valueTypes } from './values.ts'

/** As `statementTimeoutMs`: for statements whose duration depends on the size of the database. */
export const UNLIMITED_MS = 2 ** 31 - 1 - 10_000

/** How long the end of a pool waits for the server to close the connections. */
const CLOSE_MS = 2_000

export type PoolOptions = {
  /** Maximum number of connections; default 10. */
  max?: number
  /** Shown in `pg_stat_activity`; default `bundle-console`. */
  applicationName?: string
  /** The server cancels statements that run longer; default 30,000. */
  statementTimeoutMs?: number
  /** The server fails statements that wait longer for a lock; default 5,000. */
  lockTimeoutMs?: number
  /**
   * The server ends connections that idle longer in an open transaction; default 10,000. This releases the locks of a
   * paused process, so it bounds every takeover.
   */
  idleInTransactionTimeoutMs?: number
  /** How long to wait for a connection, new or in use; default 10,000. */
  connectTimeoutMs?: number
  /**
   * Prepares recurring statements, so that each connection plans them once, using indexes: see CACHED_PLANS. Behind a
   * pooler that assigns a session per transaction one statement fails, and none is prepared from then on. Default:
   * false.
   */
  prepareRecurring?: boolean
  /** Called with the error of each failed statement, before its caller receives it. */
  onStatementError?: (error: unknown) => void
  /** Called when an idle connection is lost. The pool replaces it automatically; default: no callback. */
  onIdleError?: (error: Error) => void
}

export type Database<Tables> = {
  db: Kysely<Tables>
  pool: pg.Pool
  /** Waits for the connections in use, then closes all; idempotent. */
  close: () => Promise<void>
}

/**
 * Opens a pool; the first query connects. Every connection has lock, statement and idle-in-transaction timeouts, TCP
 * keep-alive, UTC and the value types of `values.ts`. A query that waits too long for a connection throws. A statement
 * that raises its own `statement_timeout` must also raise `query_timeout`, the driver's, which is 10 s longer.
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
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool awaits it, which its types do not say
    onConnect: setFormats,
  })
  const onReadOnly = replaceReadOnlySessions(pool)
  pool.on('connect', (client) =>
    discardWhenUnusable(client, { onReadOnly, onStatementError: options.onStatementError }),
  )
  if (options.prepareRecurring === true) {
    const statements = new RecurringStatements()
    pool.on('connect', (client) => prepareRecurring(client, statements))
  }
  let closed: Promise<void> | undefined
  // Without a listener the loss of an idle connection would end the process.
  pool.on('error', (error) => {
    if (closed === undefined) options.onIdleError?.(error)
  })
  // Likewise for a connection lost in use, between two statements: the next statement reports it.
  pool.on('connect', (client) => client.on('error', () => {}))
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  // the pool forgets its connections before they are closed; a server that stops meanwhile reports each of them
  const open = new Set<Promise<void>>()
  pool.on('connect', (client) => {
    const ended = new Promise<void>((resolve) => void client.once('end', resolve))
    open.add(ended)
    void ended.then(() => open.delete(ended))
  })
  const end = async (): Promise<void> => {
    if (!pool.ended) await pool.end()
    // not kept alive by it: a server that does not answer keeps nobody waiting
    await Promise.race([Promise.all(open), sleep(CLOSE_MS, undefined, { ref: false })])
  }
  const close = () => (closed ??= end())
  return { db, pool, close }
}

/**
 * The values are read in these formats. A pooler drops `options`, which sets them too, but keeps both of these for a
 * connection in every mode.
 */
async function setFormats(client: pg.ClientBase): Promise<void> {
  await client.query(`set TimeZone = 'UTC'; set DateStyle = 'ISO'`)
}

/**
 * Short statements are never worth compiling. A server compiles those whose estimated cost is high, and forbidding
 * sequential scans makes that of a table without a usable index 10,000,000,000: each session would load the compiler
 * for a quarter of a second of processor time, all of them at once after a failover.
 */
const SESSION = '-c TimeZone=UTC -c DateStyle=ISO -c jit=off'

/**
 * For cached plans that stay valid as tables grow. A plan made while the tables are small would use sequential scans or
 * merge joins until the next ANALYZE. By default the server also replans on each execution if it estimates that custom
 * plans pay off, which takes longer than such a statement itself.
 */
const CACHED_PLANS = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_mergejoin=off'

/** The settings of each connection of a pool. */
export function connectionConfig(connection: ConnectionSettings, options: PoolOptions): pg.ClientConfig {
  const statementTimeoutMs = options.statementTimeoutMs ?? 30_000
  return {
    ...clientConfig(connection),
    application_name: options.applicationName ?? 'bundle-console',
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + 10_000,
    lock_timeout: options.lockTimeoutMs ?? 5_000,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs ?? 10_000,
    options: [SESSION, options.prepareRecurring === true ? CACHED_PLANS : ''].join(' ').trim(),
    connectionTimeoutMillis: options.connectTimeoutMs ?? 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  }
}

/**
 * Ends a connection that has become useless, so that the pool opens a new one:
 *
 * - If the network drops everything, neither response nor error arrives for a quarter of an hour. The driver's own
 *   timeout (10 s after the server's) only fails the query and leaves the connection waiting.
 * - A newer release changed a table under a prepared statement.
 * - The server became a standby, or read-only. The next connection resolves the name again and reaches the new primary.
 * - Someone cancelled a commit that waited for its synchronous standby. The server reports it as done, with only a
 *   warning, and a failover may lose it: its result is as unknown as that of a lost connection.
 */
function discardWhenUnusable(
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
    if (isSilent || isPlanOutdated(error)) void client.end()
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
