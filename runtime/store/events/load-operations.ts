import { sql } from 'kysely'
import type { OperationRow } from '../../model/operation.ts'
import { callAttempts } from '../operations/call-attempts.ts'
import type { Db } from '../../model/db.ts'

/** Returns the given operations with the number of attempts of their current calls, unordered. */
export function loadOperations(
  db: Db,
  operationIds: readonly string[],
): Promise<(OperationRow & { call_attempts: number })[]> {
  return db
    .selectFrom('runtime.operation as operation')
    .selectAll('operation')
    .select(callAttempts().as('call_attempts'))
    .where('operation_id', '=', sql<string>`any(${[...operationIds]}::uuid[])`)
    .execute()
}
