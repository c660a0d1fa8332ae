import { AsyncLocalStorage } from 'node:async_hooks'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sqliteMemory, SQLITE_MEMORY_SCHEMA } from './sqlite-memory.ts'
import type { Awaitable, Store } from './store.ts'

/** What an author's change uses inside a transaction. */
export type SqliteTransaction = Pick<DatabaseSync, 'exec' | 'prepare'>
export type SqliteStore = Store<SqliteTransaction>

export interface SqliteStoreOptions {
  /** SQL of the author's own tables, run at each opening: write `CREATE TABLE IF NOT EXISTS`. */
  schema?: string
}

const BUSY_MS = 5_000

/**
 * A store in one SQLite file, which only its owner may read; the folder is made where it is absent. Several processes
 * of one machine may open it. Throws when the file was written by a newer SDK.
 */
export function sqliteStore(file: string, { schema }: SqliteStoreOptions = {}): SqliteStore {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
  return openStore(file, schema)
}

/** The same store without a file, for tests: what it holds is gone when it is closed. */
export const memoryStore = ({ schema }: SqliteStoreOptions = {}): SqliteStore => openStore(':memory:', schema)

function openStore(location: string, schema: string | undefined): SqliteStore {
  const database = new DatabaseSync(location, { timeout: BUSY_MS })
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
  database.exec(SQLITE_MEMORY_SCHEMA)
  if (schema !== undefined) database.exec(schema)

  const inside = new AsyncLocalStorage<true>()
  // One connection has one transaction: the next one waits for the end of this chain.
  let last: Promise<unknown> = Promise.resolve()

  async function perform<Result>(work: (tx: SqliteTransaction) => Awaitable<Result>): Promise<Result> {
    // IMMEDIATE takes the write lock now, so that nothing read inside can be stale at the commit.
    database.exec('BEGIN IMMEDIATE')
    try {
      const result = await inside.run(true, () => work(database))
      database.exec('COMMIT')
      return result
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
  }

  return {
    memory: sqliteMemory(database),
    transaction(work) {
      if (inside.getStore() === true)
        throw new Error(
          'A transaction is open already: use the one that was handed in, a second would wait for ever',
        )
      const result = last.then(() => perform(work))
      last = result.catch(() => undefined)
      return result
    },
    async close() {
      await last
      if (database.isOpen) database.close()
    },
  }
}
