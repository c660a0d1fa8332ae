import type { Selectable } from 'kysely'
import type { RuntimeTables } from '../../model/tables.ts'
import type { Db } from '../../model/db.ts'

export type RetryRow = Selectable<RuntimeTables['runtime.operation_retry']>

/** Returns the retries of an operation by people, oldest first. */
export function readRetries(db: Db, operationId: string): Promise<RetryRow[]> {
  return db
    .selectFrom('runtime.operation_retry')
    .selectAll()
    .where('operation_id', '=', operationId)
    .orderBy('run')
    .execute()
}
