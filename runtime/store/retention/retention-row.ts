import { sql } from 'kysely'
import type { Db, Tx } from '../../model/db.ts'
import type { FinishedOperation } from './finished-work.ts'

/** How much was removed. */
export interface Removed {
  operations: number
  attempts: number
  batches: number
}

/** The state of retention, as `runtime.retention` stores it. Times are texts with all digits that the database has. */
export interface RetentionRow extends Removed {
  runStartedAt: string
  examinedAt: string | null
  examinedId: string | null
  attemptsUntil: string | null
  attemptsUntilId: string | null
}

/**
 * Locks the state of retention and, if a run is due, starts it. Returns undefined if no run is due or another replica
 * holds the lock. From then on the transaction waits at most a second for any lock.
 */
export async function lockRun(tx: Tx): Promise<RetentionRow | undefined> {
  await sql`set local lock_timeout = '1s'`.execute(tx)
  const { rows } = await sql<RetentionRow>`
    update runtime.retention set run_started_at = coalesce(run_started_at, clock_timestamp())
    where only_row in (
      select only_row from runtime.retention
      where run_started_at is not null or due_at <= clock_timestamp()
      for update skip locked)
    returning run_started_at::text as "runStartedAt", examined_at::text as "examinedAt", examined_id as "examinedId",
      attempts_until::text as "attemptsUntil", attempts_until_id as "attemptsUntilId",
      run_operations as operations, run_attempts as attempts, run_batches as batches`.execute(tx)
  return rows[0]
}

/** Stores the last operation that the run has examined. */
export async function moveExamined(tx: Tx, { finished_at, operation_id }: FinishedOperation): Promise<void> {
  await sql`update runtime.retention
    set examined_at = ${finished_at}::timestamptz, examined_id = ${operation_id}::uuid`.execute(tx)
}

/** Stores the last operation whose attempts were removed. */
export async function moveAttemptsUntil(
  tx: Tx,
  { finished_at, operation_id }: FinishedOperation,
): Promise<void> {
  await sql`update runtime.retention
    set attempts_until = ${finished_at}::timestamptz, attempts_until_id = ${operation_id}::uuid`.execute(tx)
}

/** Adds what a step removed to the counts of the run and of all runs. */
export async function addRemoved(tx: Tx, { operations, attempts, batches }: Removed): Promise<void> {
  await sql`
    update runtime.retention set
      run_operations = run_operations + ${operations}, all_operations = all_operations + ${operations},
      run_attempts = run_attempts + ${attempts}, all_attempts = all_attempts + ${attempts},
      run_batches = run_batches + ${batches}, all_batches = all_batches + ${batches}`.execute(tx)
}

/** Ends the run; the next one is due a day after this one started. `operationsDays`: 0 if it removed no operations. */
export async function completeRun(tx: Tx, operationsDays: number): Promise<void> {
  await sql`
    update runtime.retention set
      operations_until = case when ${operationsDays}::int = 0 then operations_until
        else greatest(operations_until, run_started_at - make_interval(days => ${operationsDays})) end,
      completed_at = clock_timestamp(), due_at = run_started_at + interval '1 day', run_started_at = null,
      examined_at = null, examined_id = null, run_operations = 0, run_attempts = 0, run_batches = 0`.execute(
    tx,
  )
}

/** Counts a step that failed. */
export async function countFailure(db: Db): Promise<void> {
  await sql`update runtime.retention set failures = failures + 1`.execute(db)
}

/** What is known about retention, for people and for metrics. Times are in seconds. */
export interface RetentionState extends Removed {
  failures: number
  /** How long ago the next run, or the one in progress, should have started; 0 if it is not due. */
  overdue: number
  /** How long ago the last run ended; null before the first. */
  sinceCompleted: number | null
  /** How long ago the oldest operation that may be removed or lose its attempts has finished; null if there is none. */
  oldestFinished: number | null
}

/** Reads the state of retention. The cost does not depend on the number of operations. */
export async function readRetention(db: Db): Promise<RetentionState> {
  const { rows } = await sql<RetentionState>`
    select all_operations as operations, all_attempts as attempts, all_batches as batches, failures,
      greatest(0, extract(epoch from clock_timestamp() - due_at))::float8 as overdue,
      extract(epoch from clock_timestamp() - completed_at)::float8 as "sinceCompleted",
      (select extract(epoch from clock_timestamp() - min(finished_at))::float8 from runtime.operation
        where state in ('SUCCEEDED', 'TAKEN_OVER')) as "oldestFinished"
    from runtime.retention`.execute(db)
  const [state] = rows
  if (state === undefined) throw new Error('the state of retention is missing')
  return state
}

/** Operations that finished before this time were removed; null if none ever was. */
export async function readOperationsUntil(db: Db): Promise<string | null> {
  const { rows } = await sql<{ until: string | null }>`
    select operations_until as until from runtime.retention where all_operations > 0`.execute(db)
  return rows[0]?.until ?? null
}
