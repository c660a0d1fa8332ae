import type { OperationRow } from '../../operations/view.ts'
import type { Db } from '../../world.ts'

export function findOperation(db: Db, operationId: string): Promise<OperationRow | undefined> {
  return db
    .selectFrom('runtime.operation')
    .selectAll()
    .where('operation_id', '=', operationId)
    .executeTakeFirst()
}
