import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Db } from '../../model/db.ts'
import type { Lease } from '../../model/call.ts'

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
      for no key update of operation ${locking.skipLocked ? sql`skip locked` : sql``}
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

/**
 * Renews leases that have not expired. Returns the renewed operations. Skips a row that the worker's own transaction
 * has locked: that transaction renews the lease.
 */
export async function renewLeases(
  db: Db,
  leases: readonly Lease[],
  leaseMs: number,
): Promise<{ operationId: string; epoch: number }[]> {
  const renewed = await sql<{ operation_id: string; lease_epoch: number }>`
    with lease as (select * from ${leaseRows(leases)}
    ), held as (
      ${lockedOf(sql`operation_id`, { skipLocked: true })}
    )
    update runtime.operation
    set available_at = ${leaseEnd(leaseMs)}
    from held
    where operation.operation_id = held.operation_id
    returning operation.operation_id, operation.lease_epoch`.execute(db)
  return renewed.rows.map((row) => ({ operationId: row.operation_id, epoch: row.lease_epoch }))
}

/**
 * Ends all leases, so that their operations are due at once. Returns the number of leases. Only for a process whose
 * worker is the only one on the database, and before that worker starts. The higher epoch fences off the previous
 * holder.
 */
export async function releaseLeases(db: Db): Promise<number> {
  const released = await sql`
    update runtime.operation
    set lease_owner = null, lease_epoch = lease_epoch + 1, available_at = clock_timestamp()
    where state = 'RUNNING' and lease_owner is not null`.execute(db)
  return Number(released.numAffectedRows ?? 0)
}
