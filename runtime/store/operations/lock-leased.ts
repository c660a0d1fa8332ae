import { sql } from 'kysely'
import { leaseRows, lockedOf } from './lease.ts'
import type { OperationRow } from '../../model/operation.ts'
import type { Tx } from '../../model/db.ts'
import type { Lease } from '../../model/lease.ts'

export interface LockedOperation {
  operation: OperationRow
  /** The time of the database. */
  now: string
}

/**
 * Returns the operations that the worker still holds, locked in the order of their ids, and the time of the database.
 * An operation that another session has locked is awaited, or with `skipLocked` left out as if it were not held.
 */
export async function lockLeased(
  tx: Tx,
  leases: readonly Lease[],
  { skipLocked }: { skipLocked: boolean },
): Promise<LockedOperation[]> {
  const found = await sql<OperationRow & { now: string }>`
    with lease as (select * from ${leaseRows(leases)})
    select operation.*, clock_timestamp() as now
    from (${lockedOf(sql`*`, { skipLocked })}) as operation`.execute(tx)
  return found.rows.map(({ now, ...operation }) => ({ operation, now }))
}
