import { AuthorManifest } from '#contract/protocol/manifest.ts'
import { withoutShared } from '#contract/protocol/shared-definitions.ts'
import type { BundleRef } from '#contract/protocol/scope.ts'
import { DomainError } from '../../engine/refusals.ts'
import { findManifest } from '../../store/installations/last-applied.ts'
import { notFound } from '../authorize.ts'
import type { Db } from '../../model/db.ts'

/** The manifest of a published version, each property with the shared definitions that it needs. Refuses with NOT_FOUND, or MANIFEST_INVALID if it cannot be read. */
export async function loadManifest(db: Db, bundle: BundleRef, version: string): Promise<AuthorManifest> {
  const stored = await findManifest(db, bundle, version)
  if (stored === undefined) throw notFound('bundle version')
  const manifest = AuthorManifest.safeParse(stored)
  if (manifest.success) return withoutShared(manifest.data)
  throw new DomainError(
    'MANIFEST_INVALID',
    `The manifest of bundle ${bundle.bundleId} version ${version} is broken at ` +
      `${manifest.error.issues[0]?.path.join('.').slice(0, 128) ?? 'its root'}. The bundle must be published again.`,
  )
}
