import { STAGES } from '../../../contract/protocol/vocabulary.ts'
import type { SqliteConnection, SqliteStatement } from './sqlite-driver.ts'
import type { Mark, Memory, RememberedCall } from './store.ts'

/** The connection that an author's change uses inside a transaction. */
export interface SqliteTransaction {
  exec(sql: string): void
  prepare(sql: string): SqliteStatement
}

/** The SDK's tables, next to those of the author. */
export const SQLITE_MEMORY_SCHEMA = `
CREATE TABLE IF NOT EXISTS plugin_sdk_call (
  operation_id TEXT NOT NULL,
  stage TEXT NOT NULL,
  bundle_install_id TEXT NOT NULL,
  execution_sequence INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  owner TEXT,
  lease_until INTEGER,
  answer TEXT,
  ended_at INTEGER,
  PRIMARY KEY (operation_id, stage)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS plugin_sdk_call_installation
  ON plugin_sdk_call (bundle_install_id, execution_sequence);
CREATE TABLE IF NOT EXISTS plugin_sdk_mark (
  bundle_install_id TEXT NOT NULL PRIMARY KEY,
  operation_id TEXT NOT NULL,
  execution_sequence INTEGER NOT NULL,
  is_detached INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`

type Row = Record<string, unknown>

/** The memory of an SQLite store. The statements are prepared once, on the store's only connection. */
export function sqliteMemory(database: SqliteConnection): Memory<SqliteTransaction> {
  const readCall = database.prepare('SELECT * FROM plugin_sdk_call WHERE operation_id = ? AND stage = ?')
  const writeCall = database.prepare(
    'INSERT OR REPLACE INTO plugin_sdk_call VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const readMark = database.prepare('SELECT * FROM plugin_sdk_mark WHERE bundle_install_id = ?')
  const writeMark = database.prepare('INSERT OR REPLACE INTO plugin_sdk_mark VALUES (?, ?, ?, ?)')
  const forgetCalls = database.prepare(
    'DELETE FROM plugin_sdk_call WHERE bundle_install_id = ? AND execution_sequence < ? AND ended_at < ?',
  )
  return {
    readCall(_tx, { operationId, stage }) {
      const row = readCall.get(operationId, stage)
      return row === undefined ? null : callOf(row)
    },
    writeCall(_tx, call) {
      writeCall.run(
        call.operationId,
        call.stage,
        call.bundleInstallId,
        call.executionSequence,
        call.fingerprint,
        call.owner,
        call.leaseUntil,
        call.answer,
        call.endedAt,
      )
    },
    readMark(_tx, bundleInstallId) {
      const row = readMark.get(bundleInstallId)
      return row === undefined ? null : markOf(row)
    },
    writeMark(_tx, mark) {
      writeMark.run(mark.bundleInstallId, mark.operationId, mark.executionSequence, mark.isDetached ? 1 : 0)
    },
    forgetCalls(_tx, { bundleInstallId, executionSequence, endedAt }) {
      forgetCalls.run(bundleInstallId, executionSequence, endedAt)
    },
  }
}

const callOf = (row: Row): RememberedCall => ({
  operationId: text(row['operation_id']),
  stage: STAGES.find((stage) => stage === row['stage']) ?? corrupt(),
  bundleInstallId: text(row['bundle_install_id']),
  executionSequence: number(row['execution_sequence']),
  fingerprint: text(row['fingerprint']),
  owner: row['owner'] === null ? null : text(row['owner']),
  leaseUntil: row['lease_until'] === null ? null : number(row['lease_until']),
  answer: row['answer'] === null ? null : text(row['answer']),
  endedAt: row['ended_at'] === null ? null : number(row['ended_at']),
})

const markOf = (row: Row): Mark => ({
  bundleInstallId: text(row['bundle_install_id']),
  operationId: text(row['operation_id']),
  executionSequence: number(row['execution_sequence']),
  isDetached: row['is_detached'] === 1,
})

const text = (value: unknown): string => (typeof value === 'string' ? value : corrupt())
const number = (value: unknown): number => (typeof value === 'number' ? value : corrupt())

function corrupt(): never {
  throw new Error('The tables of the plugin SDK contain data that it did not write')
}
