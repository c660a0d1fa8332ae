import { sql } from 'kysely'
import type { OperationRow } from '../../model/operation.ts'
import type { Tx } from '../../model/db.ts'

/**
 * Starts the next run of a FAILED operation, due at once. Successful calls stay; the others count their attempts from
 * zero. Returns null if the operation is not FAILED in this run.
 */
export async function startRun(tx: Tx, operationId: string, run: number): Promise<OperationRow | null> {
  const started = await sql<OperationRow>`
    update runtime.operation
    set state = 'RUNNING', run = run + 1, failure = null, finished_at = null, next_attempt_at = null,
      lease_owner = null, available_at = clock_timestamp()
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
