import type { BundleRef } from '#contract/protocol/scope.ts'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import type { Db } from '../../model/db.ts'

/** Returns the manifest of a published version. It never changes after publication. */
export async function findManifest(
  db: Db,
  bundle: BundleRef,
  version: string,
): Promise<AuthorManifest | undefined> {
  const row = await db
    .selectFrom('runtime.bundle_version')
    .select('manifest')
    .where('bundle_environment_key', '=', bundle.environmentKey)
    .where('bundle_id', '=', bundle.bundleId)
    .where('version', '=', version)
    .executeTakeFirst()
  return row?.manifest
}
