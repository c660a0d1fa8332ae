import type { Answer, Input, ReadContext } from '../context.ts'
import { listBundleRows, listVersionRows } from '../../store/catalog/versions.ts'
import { findManifest } from '../../store/installations/last-applied.ts'
import { cursorInteger, cursorValues, pageOf } from '../paging/page.ts'
import { versionView } from './version-view.ts'
import { notFound } from '../authorize.ts'

/** Bundles of the catalog with their newest version. */
export async function listBundles(
  { deps }: ReadContext,
  { query }: Input<'GET /bundles'>,
): Promise<Answer<'GET /bundles'>> {
  const rows = await listBundleRows(deps.db, {
    environmentKey: query.environmentKey,
    q: query.q,
    after: cursorValues(query.cursor, ['string', 'string']),
    limit: query.limit + 1,
  })
  return pageOf(rows, query.limit, {
    item: (row) => ({
      bundle: { environmentKey: row.bundle_environment_key, bundleId: row.bundle_id },
      title: row.title,
      description: row.description,
      versions: row.versions,
      latest: { version: row.version, publishedAt: row.published_at },
    }),
    valuesOf: (row) => [row.bundle_environment_key, row.bundle_id],
  })
}

/** Published versions of a bundle, the highest first. Refuses with NOT_FOUND if there is none. */
export async function listVersions(
  { deps }: ReadContext,
  { params, query }: Input<'GET /bundles/{environmentKey}/{bundleId}/versions'>,
): Promise<Answer<'GET /bundles/{environmentKey}/{bundleId}/versions'>> {
  const [precedence, publishedAt, version] = cursorValues(query.cursor, ['string', 'number', 'string']) ?? []
  const after =
    version === undefined
      ? null
      : {
          precedence: String(precedence),
          publishedAt: cursorInteger(publishedAt),
          version: String(version),
        }
  const rows = await listVersionRows(deps.db, params, { after, limit: query.limit + 1 })
  if (rows.length === 0 && after === null) throw notFound('bundle')
  return pageOf(rows, query.limit, {
    item: (row) => versionView(row),
    valuesOf: (row) => [row.precedence, row.published_microseconds, row.version],
  })
}

/** The author manifest of a version, as it was published. Refuses with NOT_FOUND. */
export async function readManifest(
  { deps }: ReadContext,
  { params }: Input<'GET /bundles/{environmentKey}/{bundleId}/versions/{version}'>,
): Promise<Answer<'GET /bundles/{environmentKey}/{bundleId}/versions/{version}'>> {
  const manifest = await findManifest(deps.db, params, params.version)
  if (manifest === undefined) throw notFound('bundle version')
  return manifest
}
