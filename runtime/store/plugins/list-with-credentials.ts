import type { Db } from '../../model/db.ts'

/** Returns those of the plugins that have a credential which is not revoked. */
export async function listPluginsWithCredentials(db: Db, pluginIds: readonly string[]): Promise<Set<string>> {
  if (pluginIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('runtime.plugin_credential')
    .select('plugin_id')
    .distinct()
    .where('plugin_id', 'in', [...pluginIds])
    .where('revoked_at', 'is', null)
    .execute()
  return new Set(rows.map(({ plugin_id }) => plugin_id))
}
