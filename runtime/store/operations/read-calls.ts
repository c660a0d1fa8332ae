import type { Selectable } from 'kysely'
import type { Db } from '../../world.ts'
import type { RuntimeTables } from '../tables.ts'

export type CallRow = Selectable<RuntimeTables['runtime.plugin_call']>

/** All calls of an operation, both stages. */
export function readCalls(db: Db, operationId: string): Promise<CallRow[]> {
  return db
    .selectFrom('runtime.plugin_call')
    .selectAll()
    .where('operation_id', '=', operationId)
    .orderBy('stage')
    .orderBy('call_order')
    .orderBy('plugin_id')
    .execute()
}
