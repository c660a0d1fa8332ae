import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import type { Person, Failure } from '#contract/runtime-api/common.ts'
import type { Tx, Db } from '../../model/db.ts'
import type { OperationRow } from '../../model/operation.ts'
import type { RuntimeTables } from '../../model/tables.ts'

/**
 * Starts the next run of a FAILED operation, due at once. Successful calls stay; the others count their attempts from
 * zero. Records who started it and how the run before had ended. Returns null if the operation is not FAILED in this run.
 */
export async function startRun(
  tx: Tx,
  operationId: string,
  {
    run,
    person,
    reason,
    overridden,
  }: { run: number; person: Person; reason: string | null; overridden: boolean },
): Promise<OperationRow | null> {
  // the row still holds how the run ended
  await sql`
    insert into runtime.operation_retry
      (operation_id, run, started_by_id, started_by_name, reason, failure, failed_at)
    select operation_id, run + 1, ${person.id}, ${person.name}, ${reason}, failure, finished_at
    from runtime.operation
    where operation_id = ${operationId} and state = 'FAILED' and run = ${run}`.execute(tx)
  const started = await sql<OperationRow>`
    update runtime.operation
    set state = 'RUNNING', run = run + 1, overridden = overridden or ${overridden}, failure = null, finished_at = null, next_attempt_at = null,
      earlier_runs_ms = earlier_runs_ms + coalesce(
        extract(epoch from finished_at - coalesce(run_started_at, started_at)) * 1000, 0)::bigint,
      run_started_at = clock_timestamp(), lease_owner = null, available_at = clock_timestamp()
    where operation_id = ${operationId} and state = 'FAILED' and run = ${run}
    returning *`.execute(tx)
  const row = started.rows[0]
  if (row === undefined) return null
  await sql`
    update runtime.plugin_call
    set failed = false, run_attempts = 0, last_failure = null, next_attempt_at = null
    where operation_id = ${operationId} and not ended_well`.execute(tx)
  return row
}

export type RetryRow = Selectable<RuntimeTables['runtime.operation_retry']>

/** Returns the retries of an operation by people, oldest first. */
export function readRetries(db: Db, operationId: string): Promise<RetryRow[]> {
  return db
    .selectFrom('runtime.operation_retry')
    .selectAll()
    .where('operation_id', '=', operationId)
    .orderBy('run')
    .execute()
}

/**
 * Releases the claim of a FAILED operation for the DETACH that takes it over. Returns false if it is not FAILED in
 * this run.
 */
export async function handOver(tx: Tx, operationId: string, run: number): Promise<boolean> {
  const handed = await sql`
    update runtime.operation
    set state = 'TAKEN_OVER', holds_claim = false
    where operation_id = ${operationId} and state = 'FAILED' and run = ${run} and holds_claim`.execute(tx)
  return handed.numAffectedRows === 1n
}

/** Records the successor of an operation that was taken over. */
export async function nameSuccessor(tx: Tx, operationId: string, successorId: string): Promise<void> {
  await tx
    .updateTable('runtime.operation')
    .set({ taken_over_by: successorId })
    .where('operation_id', '=', operationId)
    .where('state', '=', 'TAKEN_OVER')
    .execute()
}

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
