import type { Selectable } from 'kysely'
import type { BundleRef } from '#contract/protocol/scope.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import type { Db } from '../../model/db.ts'

/** Returns one published version with its manifest. */
export function findVersion(
  db: Db,
  bundle: BundleRef,
  version: string,
): Promise<Selectable<RuntimeTables['runtime.bundle_version']> | undefined> {
  return db
    .selectFrom('runtime.bundle_version')
    .selectAll()
    .where('bundle_environment_key', '=', bundle.environmentKey)
    .where('bundle_id', '=', bundle.bundleId)
    .where('version', '=', version)
    .executeTakeFirst()
}
