import type { OperationRow } from '../../model/operation.ts'
import type { Tx } from '../../model/db.ts'

/** The operation, locked until the transaction ends: no worker and no other person moves it meanwhile. */
export function lockOperation(tx: Tx, operationId: string): Promise<OperationRow | undefined> {
  return tx
    .selectFrom('runtime.operation')
    .selectAll()
    .where('operation_id', '=', operationId)
    .forUpdate()
    .executeTakeFirst()
}
