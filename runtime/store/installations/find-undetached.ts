import type { BundleRef } from '#contract/protocol/scope.ts'
import type { Db } from '../../model/db.ts'

/** Returns the installation of a bundle in a scope that is not DETACHED; there is at most one. */
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
