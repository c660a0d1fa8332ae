import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Lease } from '../../model/lease.ts'

/** Leases as rows of a statement, ordered by operation id. */
export function leaseRows(leases: readonly Lease[]): RawBuilder<unknown> {
  const ordered = leases.toSorted((a, b) => (a.operationId < b.operationId ? -1 : 1))
  return sql`unnest(
    ${ordered.map(({ operationId }) => operationId)}::uuid[],
    ${ordered.map(({ owner }) => owner)}::text[],
    ${ordered.map(({ epoch }) => epoch)}::bigint[]) as lease (operation_id, owner, epoch)`
}

/**
 * The operations of `lease` that the worker still holds, locked in the order of `lease`. An operation that another
 * session has locked is awaited or skipped. Each one is looked up separately: for a join the planner may scan all
 * operations, and a statement that was prepared while there were few keeps that plan.
 */
export function lockedOf(
  columns: RawBuilder<unknown>,
  locking: { skipLocked: boolean },
): RawBuilder<unknown> {
  return sql`
    select operation.*
    from lease cross join lateral (
      select ${columns} from runtime.operation where ${isLeased}
      for update of operation ${locking.skipLocked ? sql`skip locked` : sql``}
    ) as operation`
}

/**
 * The condition of every write of a worker: it still holds the operation. The database's clock decides, so an expired
 * lease is lost even if no worker has leased the operation since. Only a RUNNING operation has an owner (a
 * constraint), so the condition leaves out the state: with it the planner would scan the whole queue instead of using
 * the primary key.
 */
const isLeased: RawBuilder<boolean> = sql<boolean>`(
  operation.operation_id = lease.operation_id
  and operation.lease_owner = lease.owner
  and operation.lease_epoch = lease.epoch
  and operation.available_at > clock_timestamp())`

/** The end of a lease that starts now, by the database's clock. */
export function leaseEnd(leaseMs: number): RawBuilder<string> {
  return sql<string>`clock_timestamp() + ${leaseMs} * interval '1 millisecond'`
}
