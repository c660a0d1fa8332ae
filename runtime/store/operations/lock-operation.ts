import type { OperationRow } from '../../model/operation.ts'
import type { Tx } from '../../model/db.ts'

/**
 * Locks an operation until the transaction ends, so that no worker and no other person changes it, and returns it.
 */
export function lockOperation(tx: Tx, operationId: string): Promise<OperationRow | undefined> {
  return tx
    .selectFrom('runtime.operation')
    .selectAll()
    .where('operation_id', '=', operationId)
    .forUpdate()
    .executeTakeFirst()
}
