import type { Tx } from '../../model/db.ts'

/** Counts the credentials of a plugin that are not revoked. */
export async function countValidCredentials(tx: Tx, pluginId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('runtime.plugin_credential')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('plugin_id', '=', pluginId)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}
