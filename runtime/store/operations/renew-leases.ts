import { sql } from 'kysely'
import { leaseEnd, leaseRows, lockedOf } from './lease.ts'
import type { Db } from '../../model/db.ts'
import type { Lease } from '../../model/lease.ts'

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
