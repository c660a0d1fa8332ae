import type { Selectable } from 'kysely'
import type { RuntimeTables } from '../../model/tables.ts'
import type { Tx } from '../../model/db.ts'

/** The registration of a plugin, locked against all who change it or its credentials; undefined where there is none. */
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
