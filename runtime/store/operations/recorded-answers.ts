import { sql } from 'kysely'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import type { WireEvidence } from '#contract/runtime-api/operations.ts'
import type { Tx } from '../../model/db.ts'

/** The stored part of a plugin's response: of one attempt, or of the call itself, which keeps its last failure. */
export interface RecordedAnswer {
  operation_id: string
  stage: Stage
  plugin_id: string
  /** Null for the call itself. */
  attempt: number | null
  failure: Failure | null
  response: JsonValue
  wire: WireEvidence | null
}

/** Returns the stored parts of all responses to these operations: of each finished attempt, and the last failure of each call. */
export async function readRecorded(tx: Tx, operationIds: readonly string[]): Promise<RecordedAnswer[]> {
  const ids = [...operationIds]
  const { rows } = await sql<RecordedAnswer>`
    select operation_id, stage, plugin_id, attempt, failure, response, wire from runtime.attempt
    where operation_id = any(${ids}::uuid[]) and finished_at is not null
    union all
    select operation_id, stage, plugin_id, null, last_failure, null, null from runtime.plugin_call
    where operation_id = any(${ids}::uuid[]) and last_failure is not null`.execute(tx)
  return rows
}

/** Replaces the stored response of an attempt, or of the call itself. */
export async function putRecorded(tx: Tx, recorded: RecordedAnswer): Promise<void> {
  const { operation_id, stage, plugin_id, attempt, failure, response, wire } = recorded
  const key = { operation_id, stage, plugin_id }
  if (attempt === null)
    await tx
      .updateTable('runtime.plugin_call')
      .set({ last_failure: failure && JSON.stringify(failure) })
      .where((row) => row.and(key))
      .execute()
  else
    await tx
      .updateTable('runtime.attempt')
      .set({
        failure: failure && JSON.stringify(failure),
        response: response === null ? null : JSON.stringify(response),
        wire: wire === null ? null : JSON.stringify(wire),
      })
      .where((row) => row.and({ ...key, attempt }))
      .execute()
}
