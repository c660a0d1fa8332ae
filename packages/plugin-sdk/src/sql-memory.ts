import { STAGES } from '../../../contract/protocol/vocabulary.ts'
import { integer, oneOf, orNull, text, type Row, type RunSql } from './sql.ts'
import type { Mark, Memory, RememberedCall } from './store.ts'

/** The tables of the memory, in SQLite's words; see `sql.ts`. */
export const MEMORY_SCHEMA = `
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

const READ = `
  SELECT call.*, mark.operation_id AS mark_operation_id, mark.execution_sequence AS mark_sequence, mark.is_detached
  FROM (SELECT 1 AS one) AS always
  LEFT JOIN plugin_sdk_call AS call ON call.operation_id = $1 AND call.stage = $2
  LEFT JOIN plugin_sdk_mark AS mark ON mark.bundle_install_id = $3`
const WRITE_CALL = `
  INSERT INTO plugin_sdk_call (operation_id, stage, bundle_install_id, execution_sequence, fingerprint, owner,
    lease_until, answer, ended_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  ON CONFLICT (operation_id, stage) DO UPDATE SET
    fingerprint = excluded.fingerprint, owner = excluded.owner, lease_until = excluded.lease_until,
    answer = excluded.answer, ended_at = excluded.ended_at`
const WRITE_MARK = `
  INSERT INTO plugin_sdk_mark (bundle_install_id, operation_id, execution_sequence, is_detached)
  VALUES ($1, $2, $3, $4)
  ON CONFLICT (bundle_install_id) DO UPDATE SET
    operation_id = excluded.operation_id, execution_sequence = excluded.execution_sequence,
    is_detached = excluded.is_detached`
const FORGET_CALLS =
  'DELETE FROM plugin_sdk_call WHERE bundle_install_id = $1 AND execution_sequence < $2 AND ended_at < $3'

/** The memory of a store that speaks SQL. */
export function sqlMemory<Tx>(run: RunSql<Tx>): Memory<Tx> {
  return {
    async read(tx, { operationId, stage, bundleInstallId }) {
      const [row = {}] = await run(tx, READ, [operationId, stage, bundleInstallId])
      return {
        call: row['operation_id'] === null ? null : callOf(row),
        mark: row['mark_operation_id'] === null ? null : markOf(row, bundleInstallId),
      }
    },
    async writeCall(tx, call) {
      const { operationId, stage, bundleInstallId, executionSequence, fingerprint } = call
      const identity = [operationId, stage, bundleInstallId, executionSequence, fingerprint]
      await run(tx, WRITE_CALL, [...identity, call.owner, call.leaseUntil, call.answer, call.endedAt])
    },
    async writeMark(tx, { bundleInstallId, operationId, executionSequence, isDetached }) {
      await run(tx, WRITE_MARK, [bundleInstallId, operationId, executionSequence, isDetached ? 1 : 0])
    },
    async forgetCalls(tx, { bundleInstallId, executionSequence, endedAt }) {
      await run(tx, FORGET_CALLS, [bundleInstallId, executionSequence, endedAt])
    },
  }
}

const callOf = (row: Row): RememberedCall => ({
  operationId: text(row['operation_id']),
  stage: oneOf(STAGES, row['stage']),
  bundleInstallId: text(row['bundle_install_id']),
  executionSequence: integer(row['execution_sequence']),
  fingerprint: text(row['fingerprint']),
  owner: orNull(text, row['owner']),
  leaseUntil: orNull(integer, row['lease_until']),
  answer: orNull(text, row['answer']),
  endedAt: orNull(integer, row['ended_at']),
})

const markOf = (row: Row, bundleInstallId: string): Mark => ({
  bundleInstallId,
  operationId: text(row['mark_operation_id']),
  executionSequence: integer(row['mark_sequence']),
  isDetached: integer(row['is_detached']) === 1,
})
