import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import type { Actor } from '../../model/actor.ts'
import type { Tx } from '../../model/db.ts'

/** Publishes a version. Returns false if it is already published; the published version does not change. */
export async function insertVersion(
  tx: Tx,
  manifest: AuthorManifest,
  actor: Pick<Actor, 'id' | 'name'>,
): Promise<boolean> {
  const result = await tx
    .insertInto('runtime.bundle_version')
    .values({
      bundle_environment_key: manifest.bundle.environmentKey,
      bundle_id: manifest.bundle.bundleId,
      version: manifest.version,
      title: manifest.title,
      description: manifest.description ?? null,
      manifest: JSON.stringify(manifest),
      published_by_id: actor.id,
      published_by_name: actor.name,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return Number(result.numInsertedOrUpdatedRows) === 1
}
