import type { Selectable } from 'kysely'
import type { RuntimeTables } from '../../model/tables.ts'
import type { Tx } from '../../model/db.ts'

/**
 * Locks the registration of a plugin against changes of it and its credentials, and returns it, or undefined if there
 * is none.
 */
export function lockPlugin(
  tx: Tx,
  pluginId: string,
): Promise<Selectable<RuntimeTables['runtime.plugin']> | undefined> {
  return tx
    .selectFrom('runtime.plugin')
    .selectAll()
    .where('plugin_id', '=', pluginId)
    .forUpdate()
    .executeTakeFirst()
}
