import type { InstalledVersions } from '#contract/runtime-api/installations.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { readInstalledVersions } from '../../store/installations/installed-versions.ts'
import type { InstalledVersionRow } from '../../store/installations/installed-versions.ts'
import { visibleScopes } from '../../store/places.ts'
import { cursorValues, pageOf } from '../paging/page.ts'

type Name = 'GET /installed-versions'

/** Bundles by id, each with its installed versions and how many installations have them. */
export async function listInstalledVersions(
  { deps, actor }: ReadContext,
  { query }: Input<Name>,
): Promise<Answer<Name>> {
  const visible = await visibleScopes(deps.db, actor, 'read', query)
  const rows = await readInstalledVersions(deps.db, visible, query)
  const after = cursorValues(query.cursor, ['string', 'string'])
  const found = bundlesOf(rows).filter(
    (bundle) =>
      (query.upgrade === undefined || bundle.outdated > 0) &&
      hasText(bundle, query.q ?? '') &&
      (after === null || isAfter(bundle, after.map(String))),
  )
  return pageOf(found.slice(0, query.limit + 1), query.limit, {
    item: (bundle) => bundle,
    valuesOf: ({ bundle }) => [bundle.bundleId, bundle.environmentKey],
  })
}

function bundlesOf(rows: readonly InstalledVersionRow[]): InstalledVersions[] {
  const groups = Map.groupBy(rows, (row) => `${row.bundle_environment_key}/${row.bundle_id}`)
  return [...groups.values()].flatMap((versions) => {
    const [first] = versions
    if (first === undefined) return []
    const sum = (counted: readonly InstalledVersionRow[]) =>
      counted.reduce((total, { installations }) => total + installations, 0)
    return {
      bundle: { environmentKey: first.bundle_environment_key, bundleId: first.bundle_id },
      title: first.title,
      newest: { version: first.newest, publishedAt: first.newest_published_at },
      installations: sum(versions),
      outdated: sum(versions.filter((row) => row.is_outdated)),
      versions: versions.map((row) => ({
        version: row.version,
        publishedAt: row.published_at,
        installations: row.installations,
        isOutdated: row.is_outdated,
      })),
    }
  })
}

const hasText = ({ bundle, title }: InstalledVersions, text: string): boolean =>
  `${bundle.bundleId}\n${title}`.toLowerCase().includes(text.toLowerCase())

/** Keys are ASCII, so this is the order of the database. */
function isAfter({ bundle }: InstalledVersions, [bundleId = '', environmentKey = '']: string[]): boolean {
  if (bundle.bundleId !== bundleId) return bundle.bundleId > bundleId
  return bundle.environmentKey > environmentKey
}
