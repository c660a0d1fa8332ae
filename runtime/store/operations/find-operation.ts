import type { OperationRow } from '../../model/operation.ts'
import type { Db } from '../../model/db.ts'

export function findOperation(db: Db, operationId: string): Promise<OperationRow | undefined> {
  return db
    .selectFrom('runtime.operation')
    .selectAll()
    .where('operation_id', '=', operationId)
    .executeTakeFirst()
}
