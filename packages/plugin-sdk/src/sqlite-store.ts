import { AsyncLocalStorage } from 'node:async_hooks'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isBusy, openSqlite, type SqliteConnection } from './sqlite-driver.ts'
import { sqliteMemory, SQLITE_MEMORY_SCHEMA } from './sqlite-memory.ts'
import type { Awaitable, Store } from './store.ts'
import type { SqliteTransaction } from './sqlite-memory.ts'

export type SqliteStore = Store<SqliteTransaction>

export interface SqliteStoreOptions {
  /** SQL of the author's own tables, run each time the store is opened: write `CREATE TABLE IF NOT EXISTS`. */
  schema?: string
}

const BUSY_MS = 5_000
const BUSY_RETRY_MS = 5

/**
 * A store in one SQLite file that only its owner may read; the folder is created if missing. Several processes of one
 * machine may open it. Throws if a newer SDK wrote the file.
 */
export function sqliteStore(file: string, { schema }: SqliteStoreOptions = {}): SqliteStore {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
  return openStore(file, schema)
}

/** The same store without a file, for tests: its data is lost when it is closed. */
export const memoryStore = ({ schema }: SqliteStoreOptions = {}): SqliteStore => openStore(':memory:', schema)

function openStore(location: string, schema: string | undefined): SqliteStore {
  const database = openSqlite(location)
  database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
  database.exec(SQLITE_MEMORY_SCHEMA)
  if (schema !== undefined) database.exec(schema)

  // From now on a timer waits for other connections: SQLite's own wait would block the whole process.
  database.exec('PRAGMA busy_timeout = 0')
  let isOpen = true
  const inside = new AsyncLocalStorage<true>()
  // A connection has one transaction at a time: the next one waits for the end of this chain.
  let last: Promise<unknown> = Promise.resolve()

  async function perform<Result>(work: (tx: SqliteTransaction) => Awaitable<Result>): Promise<Result> {
    await begin(database)
    try {
      const result = await inside.run(true, () => work(database))
      database.exec('COMMIT')
      return result
    } catch (error) {
      rollBack(database)
      throw error
    }
  }

  return {
    memory: sqliteMemory(database),
    transaction(work) {
      if (inside.getStore() === true)
        throw new Error(
          'A transaction is already open: use the one passed in, a second one would wait forever',
        )
      const result = last.then(() => perform(work))
      last = result.catch(() => undefined)
      return result
    },
    async close() {
      await last
      if (isOpen) database.close()
      isOpen = false
    },
  }
}

function rollBack(database: SqliteConnection): void {
  try {
    database.exec('ROLLBACK')
  } catch {
    // SQLite itself has already rolled back, for example because the disk is full.
  }
}

/** Takes the write lock immediately, so that nothing read inside can be stale at the commit. Throws after BUSY_MS. */
async function begin(database: SqliteConnection): Promise<void> {
  const giveUpAt = performance.now() + BUSY_MS
  for (;;) {
    try {
      database.exec('BEGIN IMMEDIATE')
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAt) throw error
      await wait(BUSY_RETRY_MS)
    }
  }
}
