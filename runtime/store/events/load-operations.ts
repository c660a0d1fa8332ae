import { sql } from 'kysely'
import type { OperationRow } from '../../model/operation.ts'
import type { Db } from '../../model/db.ts'

/** Returns the given operations, unordered. */
export function loadOperations(db: Db, operationIds: readonly string[]): Promise<OperationRow[]> {
  return db
    .selectFrom('runtime.operation')
    .selectAll()
    .where('operation_id', '=', sql<string>`any(${[...operationIds]}::uuid[])`)
    .execute()
}
