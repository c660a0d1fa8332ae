import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Lease } from '../../model/lease.ts'

/** Leases as rows of a statement, in the order of their operations' ids. */
export function leaseRows(leases: readonly Lease[]): RawBuilder<unknown> {
  const ordered = leases.toSorted((a, b) => (a.operationId < b.operationId ? -1 : 1))
  return sql`unnest(
    ${ordered.map(({ operationId }) => operationId)}::uuid[],
    ${ordered.map(({ owner }) => owner)}::text[],
    ${ordered.map(({ epoch }) => epoch)}::bigint[]) as lease (operation_id, owner, epoch)`
}

/**
 * The operations of `lease` that are held still, locked in its order; one that somebody else has locked is waited for or
 * passed over. Each is looked up by itself: joined, the planner may choose to look through all operations, and a statement
 * that was prepared while there were few keeps to that.
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
 * The condition that stands in every write of a worker: it holds the operation still. The time is the database's; an
 * expired lease is lost even when nobody has claimed the operation since. Only what is RUNNING has an owner (a constraint),
 * and the state is not asked here: with it the planner would look through the whole queue instead of at the primary key.
 */
const isLeased: RawBuilder<boolean> = sql<boolean>`(
  operation.operation_id = lease.operation_id
  and operation.lease_owner = lease.owner
  and operation.lease_epoch = lease.epoch
  and operation.available_at > clock_timestamp())`

/** The end of a lease that begins now, by the database's clock. */
export function leaseEnd(leaseMs: number): RawBuilder<string> {
  return sql<string>`clock_timestamp() + ${leaseMs} * interval '1 millisecond'`
}
