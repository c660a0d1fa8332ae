import { sql } from 'kysely'
import type { Db } from '../../world.ts'
import { leaseEnd } from './lease.ts'
import type { Lease } from './lease.ts'

/**
 * Moves the end of leases that still hold, and answers which. A row that a transaction of the worker itself has locked is
 * passed over: that transaction renews it.
 */
export async function renewLeases(
  db: Db,
  leases: readonly Lease[],
  leaseMs: number,
): Promise<{ operationId: string; epoch: number }[]> {
  const renewed = await sql<{ operation_id: string; lease_epoch: number }>`
    with held as (
      select operation.operation_id
      from runtime.operation
      join unnest(
        ${leases.map(({ operationId }) => operationId)}::uuid[],
        ${leases.map(({ owner }) => owner)}::text[],
        ${leases.map(({ epoch }) => epoch)}::bigint[]) as lease (operation_id, owner, epoch)
        on operation.operation_id = lease.operation_id
        and operation.lease_owner = lease.owner
        and operation.lease_epoch = lease.epoch
      where operation.state in ('PENDING', 'RUNNING', 'WAITING') and operation.available_at > clock_timestamp()
      for update of operation skip locked
    )
    update runtime.operation
    set available_at = ${leaseEnd(leaseMs)}
    from held
    where operation.operation_id = held.operation_id
    returning operation.operation_id, operation.lease_epoch`.execute(db)
  return renewed.rows.map((row) => ({ operationId: row.operation_id, epoch: row.lease_epoch }))
}
