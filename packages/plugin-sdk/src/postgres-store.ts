import { setTimeout as wait } from 'node:timers/promises'
import { oneTransaction } from './one-transaction.ts'
import { toPostgres, type Row, type RunSql } from './sql.ts'
import { EVENT_SCHEMA, sqlEvents } from './sql-events.ts'
import { MEMORY_SCHEMA, sqlMemory } from './sql-memory.ts'
import type { Awaitable } from './awaitable.ts'
import type { Store } from './store.ts'

/** The connection that an author's change uses inside a transaction; a client of `pg` is one. */
export interface PostgresTransaction {
  query(sql: string, parameters?: unknown[]): Promise<{ rows: Row[]; rowCount: number | null }>
}

interface PostgresClient extends PostgresTransaction {
  /** With true, the connection is closed instead of being used again. */
  release(isBroken?: boolean): void
  on(event: 'error', listener: () => void): unknown
  off(event: 'error', listener: () => void): unknown
}

/** A pool of connections; `pg.Pool` is one. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>
}

export type PostgresStore = Store<PostgresTransaction>

export interface PostgresStoreOptions {
  /** SQL of the author's own tables, run before the first transaction: write `CREATE TABLE IF NOT EXISTS`. */
  schema?: string
}

/** serialization_failure and deadlock_detected: the transaction changed nothing and can run again. */
const CONFLICTS = new Set(['40001', '40P01'])
const RETRIES = 20
const RETRY_MS = 10
/** Any constant: processes that start together create the tables one after the other. */
const SCHEMA_LOCK = 7_166_320_411

/**
 * A store in a PostgreSQL database, for a plugin with several replicas. The tables of the SDK are created in the
 * connection's current schema before the first transaction. The caller owns the pool: it handles the pool's `error` event
 * and ends the pool. After a conflict with another transaction, `work` runs again: it must change nothing except through its `tx`.
 */
export function postgresStore(pool: PostgresPool, { schema = '' }: PostgresStoreOptions = {}): PostgresStore {
  const alone = oneTransaction()
  let created: Promise<void> | null = null
  const running = new Set<Promise<unknown>>()

  async function perform<Result>(work: (tx: PostgresTransaction) => Awaitable<Result>): Promise<Result> {
    created ??= createTables(pool, `${toPostgres(MEMORY_SCHEMA + EVENT_SCHEMA)}${schema}`)
    try {
      await created
    } catch (error) {
      created = null
      throw error
    }
    for (let attempt = 1; ; attempt++) {
      try {
        return await withClient(pool, 'BEGIN ISOLATION LEVEL SERIALIZABLE', work)
      } catch (error) {
        if (!isConflict(error) || attempt > RETRIES) throw error
        // a random part, so that two conflicting transactions do not meet again
        await wait(Math.random() * RETRY_MS * attempt)
      }
    }
  }

  const run: RunSql<PostgresTransaction> = async (tx, sql, parameters) =>
    (await tx.query(sql, [...parameters])).rows
  return {
    memory: sqlMemory(run),
    events: sqlEvents(run),
    transaction: (work) =>
      alone(async () => {
        const result = perform(work)
        running.add(result)
        try {
          return await result
        } finally {
          running.delete(result)
        }
      }),
    async close() {
      await Promise.allSettled(running)
    },
  }
}

const createTables = (pool: PostgresPool, schema: string): Promise<void> =>
  withClient(pool, 'BEGIN', async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [SCHEMA_LOCK])
    await tx.query(schema)
  })

async function withClient<Result>(
  pool: PostgresPool,
  begin: string,
  work: (tx: PostgresTransaction) => Awaitable<Result>,
): Promise<Result> {
  const client = await pool.connect()
  let isBroken = false
  // A connection that breaks between two statements emits an error, which would end the process.
  const onError = () => void (isBroken = true)
  client.on('error', onError)
  try {
    await client.query(begin)
    const result = await work(client)
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch(() => (isBroken = true))
    throw error
  } finally {
    client.off('error', onError)
    client.release(isBroken)
  }
}

const isConflict = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && CONFLICTS.has(String(error.code))
