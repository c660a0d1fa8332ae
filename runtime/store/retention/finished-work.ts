import { sql } from 'kysely'
import type { Tx } from '../../model/db.ts'

/** A place in the order in which operations finished. */
interface FinishedPosition {
  at: string | null
  id: string | null
}

export interface FinishedOperation {
  operation_id: string
  /** With all digits, so that it can be compared. */
  finished_at: string
}

const OPERATIONS_AT_ONCE = 100
const ATTEMPTS_AT_ONCE = 2_000

/**
 * Operations up to a position that still have attempts: they had failed when retention examined them, and were taken over
 * later. Only those that finished more than `days` before `now`, and at most 10.
 */
export async function findLateTakeovers(
  tx: Tx,
  { at, id }: FinishedPosition,
  { now, days }: { now: string; days: number },
): Promise<string[]> {
  const { rows } = await sql<{ operation_id: string }>`
    select operation_id from runtime.operation
    where state = 'TAKEN_OVER' and (finished_at, operation_id) <= (${at}::timestamptz, ${id}::uuid)
      and finished_at < ${now}::timestamptz - make_interval(days => ${days})
      and exists (select from runtime.attempt where attempt.operation_id = operation.operation_id)
    limit 10`.execute(tx)
  return rows.map(({ operation_id }) => operation_id)
}

/**
 * The next operations after a position that finished more than `days` before `now`, in the order in which they finished:
 * at most 100, and fewer if they have many attempts.
 */
export async function nextFinished(
  tx: Tx,
  after: FinishedPosition,
  { now, days }: { now: string; days: number },
): Promise<FinishedOperation[]> {
  const { rows } = await sql<FinishedOperation>`
    select operation_id, finished_at::text as finished_at
    from (
      select operation_id, finished_at,
        sum(attempts) over (order by finished_at, operation_id) - attempts as attempts_before
      from (
        select operation_id, finished_at, (
          select coalesce(sum(attempts), 0) from runtime.plugin_call
          where plugin_call.operation_id = operation.operation_id) as attempts
        from runtime.operation
        where state in ('SUCCEEDED', 'TAKEN_OVER')
          and (finished_at, operation_id) > (
            coalesce(${after.at}::timestamptz, '-infinity'),
            coalesce(${after.id}::uuid, '00000000-0000-0000-0000-000000000000'))
          and finished_at < ${now}::timestamptz - make_interval(days => ${days})
        order by finished_at, operation_id
        limit ${OPERATIONS_AT_ONCE}
      ) as next
    ) as counted
    where attempts_before < ${ATTEMPTS_AT_ONCE}
    order by counted.finished_at, operation_id`.execute(tx)
  return rows
}

/** Deletes the attempts and the stored requests of finished operations. Returns the number of attempts. */
export async function deleteAttemptsAndRequests(tx: Tx, operationIds: readonly string[]): Promise<number> {
  const attempts = await deleteAttempts(tx, operationIds)
  await sql`
    update runtime.plugin_call set request = null
    where operation_id = any(${[...operationIds]}::uuid[]) and request is not null`.execute(tx)
  return attempts
}

/** Deletes the attempts of operations. Returns their number. */
async function deleteAttempts(tx: Tx, operationIds: readonly string[]): Promise<number> {
  const result = await sql`
    delete from runtime.attempt where operation_id = any(${[...operationIds]}::uuid[])`.execute(tx)
  return Number(result.numAffectedRows ?? 0)
}

/**
 * Locks those of the operations that nothing needs; docs/operating/retention.md says which stay. Skips what others have locked,
 * and operations whose hour is not counted yet.
 */
export async function lockRemovable(tx: Tx, operationIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ operation_id: string }>`
    select operation_id from runtime.operation as old
    where operation_id = any(${[...operationIds]}::uuid[])
      and state = 'SUCCEEDED' and operation_type = 'CONFIGURE'
      and created_at < (select counted_until from runtime.operation_counted)
      and exists (
        select from runtime.operation as later
        where later.bundle_install_id = old.bundle_install_id
          and later.execution_sequence > old.execution_sequence)
      and not exists (select from runtime.batch_item where batch_item.operation_id = old.operation_id)
    for update skip locked`.execute(tx)
  return rows.map(({ operation_id }) => operation_id)
}

/** Deletes operations with all that belongs to them. Returns the number of their attempts. */
export async function deleteOperations(tx: Tx, ids: readonly string[]): Promise<number> {
  const attempts = await deleteAttempts(tx, ids)
  for (const table of ['plugin_call', 'operation_plan', 'operation_retry', 'operation_note'])
    await sql`delete from ${sql.table(`runtime.${table}`)} where operation_id = any(${[...ids]}::uuid[])`.execute(
      tx,
    )
  await sql`
    with deleted as (
      delete from runtime.operation where operation_id = any(${[...ids]}::uuid[])
      returning environment_key, date_trunc('hour', created_at, 'UTC') as hour
    )
    update runtime.operation_total as counted set total = counted.total - gone.count
    from (select environment_key, hour, count(*) as count from deleted group by 1, 2) as gone
    where counted.environment_key = gone.environment_key and counted.hour = gone.hour`.execute(tx)
  return attempts
}

/** Deletes the oldest batch that finished more than `days` before `now`. Returns false if there is none. */
export async function removeBatch(tx: Tx, now: string, days: number): Promise<boolean> {
  const { rows } = await sql<{ batch_id: string }>`
    select batch_id from runtime.batch
    where finished_at < ${now}::timestamptz - make_interval(days => ${days})
      -- for the index; what finished was created before
      and created_at < ${now}::timestamptz - make_interval(days => ${days})
    order by created_at, batch_id
    limit 1
    for update skip locked`.execute(tx)
  const [batch] = rows
  if (batch === undefined) return false
  await sql`delete from runtime.batch_item where batch_id = ${batch.batch_id}`.execute(tx)
  await sql`delete from runtime.batch where batch_id = ${batch.batch_id}`.execute(tx)
  return true
}
