import { sql } from 'kysely'
import type { Tx } from '../../model/db.ts'

/**
 * Releases the claim of a FAILED operation for the DETACH that takes it over. Returns false if it is not FAILED in
 * this run.
 */
export async function handOver(tx: Tx, operationId: string, run: number): Promise<boolean> {
  const handed = await sql`
    update runtime.operation
    set state = 'TAKEN_OVER', holds_claim = false
    where operation_id = ${operationId} and state = 'FAILED' and run = ${run} and holds_claim`.execute(tx)
  return handed.numAffectedRows === 1n
}

/** Records the successor of an operation that was taken over. */
export async function nameSuccessor(tx: Tx, operationId: string, successorId: string): Promise<void> {
  await tx
    .updateTable('runtime.operation')
    .set({ taken_over_by: successorId })
    .where('operation_id', '=', operationId)
    .where('state', '=', 'TAKEN_OVER')
    .execute()
}
