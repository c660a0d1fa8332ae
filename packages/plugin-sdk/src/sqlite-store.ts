import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { oneTransaction } from './one-transaction.ts'
import { toSqlite } from './sql.ts'
import type { RunSql } from './sql.ts'
import { EVENT_SCHEMA, sqlEvents } from './sql-events.ts'
import { MEMORY_SCHEMA, sqlMemory } from './sql-memory.ts'
import { isBusy, openSqlite, type SqliteConnection, type SqliteStatement } from './sqlite-driver.ts'
import type { Awaitable } from './awaitable.ts'
import type { Store } from './store.ts'

/** The connection that an author's change uses inside a transaction. */
export interface SqliteTransaction {
  exec(sql: string): void
  /** The same SQL gives the same statement, as long as it is used: preparing it costs more than running it. */
  prepare(sql: string): SqliteStatement
}

export type SqliteStore = Store<SqliteTransaction>

export interface SqliteStoreOptions {
  /** SQL of the author's own tables, run each time the store is opened: write `CREATE TABLE IF NOT EXISTS`. */
  schema?: string
}

const IN_MEMORY = ':memory:'
const BUSY_MS = 5_000
const BUSY_RETRY_MS = 5
const STATEMENTS_MAX = 200

/**
 * A store in one SQLite file that only its owner may read; the folder is created if missing. Several processes of one
 * machine may open it. `:memory:` is a database without a file, which is lost when the store is closed. Throws if this
 * Node has no SQLite.
 */
export function sqliteStore(file: string, { schema }: SqliteStoreOptions = {}): SqliteStore {
  if (file !== IN_MEMORY) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    closeSync(openSync(file, 'a', 0o600))
  }
  const database = openSqlite(file)
  database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
  database.exec(MEMORY_SCHEMA + EVENT_SCHEMA)
  if (schema !== undefined) database.exec(schema)

  // From now on a timer waits for other connections: SQLite's own wait would block the whole process.
  database.exec('PRAGMA busy_timeout = 0')
  let isOpen = true
  const alone = oneTransaction()
  // A connection has one transaction at a time: the next one waits for the end of this chain.
  let last: Promise<unknown> = Promise.resolve()

  const begin = beginner(database)
  const commit = database.prepare('COMMIT')
  const connection: SqliteTransaction = {
    exec: (sql) => database.exec(sql),
    prepare: preparer(database),
  }

  async function perform<Result>(work: (tx: SqliteTransaction) => Awaitable<Result>): Promise<Result> {
    await begin()
    try {
      const result = await work(connection)
      commit.run()
      return result
    } catch (error) {
      rollBack(database)
      throw error
    }
  }

  const run = runner(database)
  return {
    memory: sqlMemory(run),
    events: sqlEvents(run),
    transaction: (work) =>
      alone(() => {
        const result = last.then(() => perform(work))
        last = result.catch(() => undefined)
        return result
      }),
    async close() {
      await last
      if (isOpen) database.close()
      isOpen = false
    },
  }
}

/** Prepares each statement once, on the store's only connection. */
function runner(database: SqliteConnection): RunSql<SqliteTransaction> {
  const prepared = new Map<string, ReturnType<typeof prepare>>()
  const prepare = (sql: string) => {
    const { text, order } = toSqlite(sql)
    const hasRows = /^\s*SELECT\b|\bRETURNING\b/.test(sql)
    return { statement: database.prepare(text), order, hasRows }
  }
  return (_tx, sql, parameters) => {
    let known = prepared.get(sql)
    if (known === undefined) prepared.set(sql, (known = prepare(sql)))
    const { statement, order, hasRows } = known
    const values = order.map((number) => parameters[number - 1] ?? null)
    if (hasRows) return statement.all(...values)
    statement.run(...values)
    return []
  }
}

/** Keeps the statements that were used last. */
function preparer(database: SqliteConnection): SqliteTransaction['prepare'] {
  const kept = new Map<string, SqliteStatement>()
  return (sql) => {
    const statement = kept.get(sql) ?? database.prepare(sql)
    kept.delete(sql)
    kept.set(sql, statement)
    if (kept.size > STATEMENTS_MAX) kept.delete(kept.keys().next().value ?? '')
    return statement
  }
}

function rollBack(database: SqliteConnection): void {
  try {
    database.exec('ROLLBACK')
  } catch {
    // SQLite itself has already rolled back, for example because the disk is full.
  }
}

/**
 * Returns a function that begins a transaction. It takes the write lock immediately, so that nothing read inside can be
 * stale at the commit. It throws after BUSY_MS.
 */
function beginner(database: SqliteConnection): () => Promise<void> {
  const statement = database.prepare('BEGIN IMMEDIATE')
  return async () => {
    const giveUpAt = performance.now() + BUSY_MS
    for (;;) {
      try {
        statement.run()
        return
      } catch (error) {
        if (!isBusy(error) || performance.now() > giveUpAt) throw error
        await wait(BUSY_RETRY_MS)
      }
    }
  }
}
