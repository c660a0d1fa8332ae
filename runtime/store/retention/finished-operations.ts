import { sql } from 'kysely'
import type { Tx } from '../../model/db.ts'

/** A place in the order in which operations finished. */
export interface FinishedPosition {
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
export async function takenOverLater(
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
