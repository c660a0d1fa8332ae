import { sql } from 'kysely'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { Db } from '../../model/db.ts'

/** Returns the unchecked `plugins` of a published version, or undefined if the version does not exist. */
export async function readPluginBindings(
  db: Db,
  bundle: { environmentKey: string; bundleId: string },
  version: string,
): Promise<JsonValue | undefined> {
  const row = await db
    .selectFrom('runtime.bundle_version')
    .select(sql<JsonValue>`manifest -> 'plugins'`.as('plugins'))
    .where('bundle_environment_key', '=', bundle.environmentKey)
    .where('bundle_id', '=', bundle.bundleId)
    .where('version', '=', version)
    .executeTakeFirst()
  return row?.plugins
}
