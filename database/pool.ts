import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'

import { clientConfig, type ConnectionSettings } from './settings.ts'
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
 * TCP keep-alive, UTC and the value types of `values.ts`. A query waits at most 10 s for a connection, then throws.
 * A statement that raises its own `statement_timeout` also needs `query_timeout`, the driver's, which is 10 s longer.
 */
export function openDatabase<Tables>(
  connection: ConnectionSettings,
  options: PoolOptions = {},
): Database<Tables> {
  const statementTimeoutMs = options.statementTimeoutMs ?? 30_000
  const pool = new pg.Pool({
    ...clientConfig(connection),
    types: valueTypes,
    max: options.max ?? 10,
    application_name: options.applicationName ?? 'bundle-console',
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + 10_000,
    lock_timeout: options.lockTimeoutMs ?? 5_000,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs ?? 10_000,
    options: '-c TimeZone=UTC -c DateStyle=ISO',
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  })
  pool.on('connect', endWhenSilent)
  // Without a listener the loss of an idle connection would end the process.
  pool.on('error', (error) => options.onIdleError?.(error))
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  let closed: Promise<void> | undefined
  const close = () => (closed ??= pool.ended ? Promise.resolve() : pool.end())
  return { db, pool, close }
}

/**
 * When the network swallows everything, no answer and no error comes for a quarter of an hour. The driver's own time-out
 * (10 s after the server's should have come) only fails the query and leaves the connection waiting, so end it here.
 */
function endWhenSilent(client: pg.PoolClient): void {
  // oxlint-disable-next-line typescript/unbound-method -- the proxy passes `this` on
  client.query = new Proxy(client.query, {
    apply(query, self, args) {
      const answer: unknown = Reflect.apply(query, self, args)
      if (answer instanceof Promise) {
        answer.catch((error: unknown) => {
          if (error instanceof Error && error.message === 'Query read timeout') void client.end()
        })
      }
      return answer
    },
  })
}
