import type { Selectable } from 'kysely'
import type { RuntimeTables } from '../../model/tables.ts'
import type { Db } from '../../model/db.ts'

/** A registration, as far as it decides whether and how a plugin is called. */
export type PluginState = Pick<
  Selectable<RuntimeTables['runtime.plugin']>,
  'plugin_id' | 'enabled' | 'endpoint' | 'timeout_ms' | 'max_attempts' | 'max_backoff_ms'
>

/** Returns these plugins by id, as far as they are registered; disabled ones too. */
export async function readPluginStates(
  db: Db,
  pluginIds: readonly string[],
): Promise<Map<string, PluginState>> {
  if (pluginIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('runtime.plugin')
    .select(['plugin_id', 'enabled', 'endpoint', 'timeout_ms', 'max_attempts', 'max_backoff_ms'])
    .where('plugin_id', 'in', [...pluginIds])
    .execute()
  return new Map(rows.map((row) => [row.plugin_id, row]))
}
