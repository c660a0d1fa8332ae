import { sql } from 'kysely'
import type { OperationRow } from '../../operations/view.ts'
import type { Tx } from '../../world.ts'
import { isHeld } from './lease.ts'
import type { Lease } from './lease.ts'

/** The operation, locked, and the database's time; null when the worker does not hold it any more. */
export async function lockHeld(
  tx: Tx,
  lease: Lease,
): Promise<{ operation: OperationRow; now: string } | null> {
  const found = await sql<OperationRow & { now: string }>`
    select operation.*, clock_timestamp() as now
    from runtime.operation
    where ${isHeld(lease)}
    for update`.execute(tx)
  const row = found.rows[0]
  if (row === undefined) return null
  const { now, ...operation } = row
  return { operation, now }
}
