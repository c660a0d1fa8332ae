import { sql } from 'kysely'
import type { Person } from '#contract/runtime-api/common.ts'
import type { OperationRow } from '../../model/operation.ts'
import type { Tx } from '../../model/db.ts'

/**
 * Starts the next run of a FAILED operation, due at once. Successful calls stay; the others count their attempts from
 * zero. Records who started it and how the run before had ended. Returns null if the operation is not FAILED in this run.
 */
export async function startRun(
  tx: Tx,
  operationId: string,
  { run, person, reason }: { run: number; person: Person; reason: string | null },
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
    set state = 'RUNNING', run = run + 1, failure = null, finished_at = null, next_attempt_at = null,
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
