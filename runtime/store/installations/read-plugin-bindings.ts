import { sql } from 'kysely'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { Db } from '../../model/db.ts'

/** The `plugins` of a published version as they stand there, not yet checked; undefined where there is no such version. */
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
