import type { BundleVersion } from '#contract/runtime-api/catalog.ts'
import type { VersionRow } from '../../store/catalog/versions.ts'

/** A published version as the runtime API returns it. */
export function versionView(row: Omit<VersionRow, 'published_microseconds' | 'precedence'>): BundleVersion {
  return {
    bundle: { environmentKey: row.bundle_environment_key, bundleId: row.bundle_id },
    version: row.version,
    title: row.title,
    publishedAt: row.published_at,
    publishedBy: { id: row.published_by_id, name: row.published_by_name },
  }
}
