import { sql } from 'kysely'
import type { Failure } from '#contract/runtime-api/common.ts'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import type { OperationRow } from '../../model/operation.ts'
import type { Tx } from '../../model/db.ts'

export interface WaitingCall {
  stage: Stage
  plugin_id: string
  attempts: number
  run_attempts: number
  /** Of its last attempt. */
  last_failure: Failure | null
}

/** Returns the call of a WAITING operation that is repeated next; undefined if it waits for the runtime itself. */
export async function findWaitingCall(tx: Tx, operation: OperationRow): Promise<WaitingCall | undefined> {
  const { rows } = await sql<WaitingCall>`
    select stage, plugin_id, attempts, run_attempts, last_failure from runtime.plugin_call
    where operation_id = ${operation.operation_id} and stage = ${operation.phase}
      and not ended_well and next_attempt_at is not null
    order by next_attempt_at, plugin_id limit 1`.execute(tx)
  return rows[0]
}

/** Makes the next attempt of a WAITING operation due. The operation is locked. */
export async function makeDue(tx: Tx, operationId: string): Promise<OperationRow> {
  await sql`
    update runtime.plugin_call set next_attempt_at = clock_timestamp()
    where operation_id = ${operationId} and not ended_well and next_attempt_at is not null`.execute(tx)
  const { rows } = await sql<OperationRow>`
    update runtime.operation set next_attempt_at = clock_timestamp(), available_at = clock_timestamp()
    where operation_id = ${operationId} and state = 'WAITING'
    returning *`.execute(tx)
  return only(rows)
}

/** Ends the run of a WAITING operation with this failure of the call. It keeps its claim. The operation is locked. */
export async function failWaiting(
  tx: Tx,
  operationId: string,
  { stage, plugin_id: pluginId }: Pick<WaitingCall, 'stage' | 'plugin_id'>,
  failure: Failure,
): Promise<OperationRow> {
  const stored = JSON.stringify(failure)
  await sql`
    update runtime.plugin_call set failed = true, last_failure = ${stored}::json, next_attempt_at = null
    where operation_id = ${operationId} and stage = ${stage} and plugin_id = ${pluginId} and not ended_well`.execute(
    tx,
  )
  const { rows } = await sql<OperationRow>`
    update runtime.operation
    set state = 'FAILED', failure = ${stored}::json, finished_at = clock_timestamp(), next_attempt_at = null
    where operation_id = ${operationId} and state = 'WAITING'
    returning *`.execute(tx)
  return only(rows)
}

function only(rows: readonly OperationRow[]): OperationRow {
  const [row] = rows
  if (row === undefined) throw new Error('a locked operation changed its state')
  return row
}
