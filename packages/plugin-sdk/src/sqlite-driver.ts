import { createRequire } from 'node:module'

export type SqliteValue = null | number | bigint | string | Uint8Array
export type SqliteRow = Record<string, SqliteValue>

export interface SqliteStatement {
  get(...parameters: SqliteValue[]): SqliteRow | undefined
  all(...parameters: SqliteValue[]): SqliteRow[]
  run(...parameters: SqliteValue[]): { changes: number | bigint; lastInsertRowid: number | bigint }
}

/** What `node:sqlite` and `better-sqlite3` have in common. */
export interface SqliteConnection {
  exec(sql: string): void
  prepare(sql: string): SqliteStatement
  close(): void
}

type Open = (location: string) => SqliteConnection

/**
 * Opens a database with `node:sqlite`, or with the package `better-sqlite3` where this Node lacks it. The module is
 * loaded here and not imported, so that the SDK can be imported where neither exists.
 */
export function openSqlite(location: string): SqliteConnection {
  const open = openerOfNode() ?? openerOfPackage()
  if (open === null)
    throw new Error(
      'sqliteStore needs Node 22.13 or later, or the package better-sqlite3: install one of them',
    )
  return open(location)
}

function openerOfNode(): Open | null {
  // Absent before Node 20.16; returns undefined for a module that this Node does not have.
  const sqlite = process.getBuiltinModule?.('node:sqlite')
  if (sqlite === undefined) return null
  return (location) => new sqlite.DatabaseSync(location)
}

function openerOfPackage(): Open | null {
  try {
    // better-sqlite3 has the methods of SqliteConnection, with the same parameters and results.
    const Database = createRequire(import.meta.url)('better-sqlite3') as new (
      location: string,
    ) => SqliteConnection
    return (location) => new Database(location)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return null
    throw error
  }
}

/** Whether another connection is writing: `errcode` is SQLITE_BUSY of node:sqlite, `code` that of better-sqlite3. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Error &&
  (('errcode' in error && error.errcode === 5) || ('code' in error && error.code === 'SQLITE_BUSY'))
