import type { OperationRow } from '../../engine/steps/operation-view.ts'
import type { Db } from '../../deps/runtime-deps.ts'

export function findOperation(db: Db, operationId: string): Promise<OperationRow | undefined> {
  return db
    .selectFrom('runtime.operation')
    .selectAll()
    .where('operation_id', '=', operationId)
    .executeTakeFirst()
}
