import type { BundleRef } from '#contract/protocol/scope.ts'
import type { Db } from '../../model/db.ts'

/** The one installation of a bundle in a scope that is not DETACHED. */
export function findUndetached(
  db: Db,
  scopeId: number,
  bundle: BundleRef,
): Promise<{ bundle_install_id: string } | undefined> {
  return db
    .selectFrom('runtime.installation')
    .select('bundle_install_id')
    .where('scope_id', '=', scopeId)
    .where('bundle_environment_key', '=', bundle.environmentKey)
    .where('bundle_id', '=', bundle.bundleId)
    .where('state', '<>', 'DETACHED')
    .executeTakeFirst()
}
