import type { Tx } from '../../world.ts'

/** Keeps two that make credentials of one plugin apart. Answers false where there is no such plugin. */
export async function lockPlugin(tx: Tx, pluginId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('runtime.plugin')
    .select('plugin_id')
    .where('plugin_id', '=', pluginId)
    .forUpdate()
    .executeTakeFirst()
  return row !== undefined
}
