import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Db } from '../../model/db.ts'
import { isNewer, newestVersionOf } from '../catalog/versions.ts'
import { isVisible } from '../visible-scopes.ts'
import type { VisibleScopes } from '../visible-scopes.ts'

/** How many ACTIVE installations have one version of a bundle. */
export interface InstalledVersionRow {
  bundle_environment_key: string
  bundle_id: string
  /** Of the newest published version. */
  title: string
  version: string
  /** As in the installations that have it. */
  version_order: string
  published_at: string
  installations: number
  /** The newest published version of the bundle, and whether it is newer than this one. */
  newest: string
  newest_published_at: string
  is_outdated: boolean
}

export interface InstalledVersionFilter {
  bundleEnvironmentKey?: string | undefined
  bundleId?: string | undefined
  version?: string | undefined
}

/** The installed versions of bundles: by bundle, the newest version first. Reads counts, unless few scopes are visible. */
export async function readInstalledVersions(
  db: Db,
  visible: VisibleScopes,
  filter: InstalledVersionFilter,
): Promise<InstalledVersionRow[]> {
  const { rows } = await sql<InstalledVersionRow>`
    select installed.*, published.published_at,
      case published.precedence when '0' then '0' || published.version else published.precedence end as version_order, newest.title, newest.version as newest,
      newest.published_at as newest_published_at, not newest.is_recalled and ${isNewer('newest', 'published')} as is_outdated
    from (${countedVersions(visible, filter)}) as installed
    join runtime.bundle_version as published using (bundle_environment_key, bundle_id, version)
    cross join lateral ${newestVersionOf('installed')} as newest
    order by installed.bundle_id collate "C", installed.bundle_environment_key collate "C", published.precedence desc,
      published.published_at desc, version desc`.execute(db)
  return rows
}

/** One version of a bundle. */
export interface VersionOf {
  environmentKey: string
  bundleId: string
  version: string
}

/** Three columns of equal length, for `unnest`. */
export const columnsOf = (versions: readonly VersionOf[]): RawBuilder<unknown> =>
  sql`${versions.map(({ environmentKey }) => environmentKey)}::text[], ${versions.map(({ bundleId }) => bundleId)}::text[],
    ${versions.map(({ version }) => version)}::text[]`

export const versionKey = ({ environmentKey, bundleId, version }: VersionOf): string =>
  `${environmentKey}/${bundleId}/${version}`

const BEHIND_MAX = 100

/**
 * How many versions are newer than each of these, up to the newest, by `versionKey`; at most 100. If the newest is a
 * release, pre-releases do not count.
 */
export async function countNewerVersions(
  db: Db,
  versions: readonly VersionOf[],
): Promise<ReadonlyMap<string, number>> {
  if (versions.length === 0) return new Map()
  const { rows } = await sql<VersionOf & { behind: number }>`
    select published.bundle_environment_key as "environmentKey", published.bundle_id as "bundleId", published.version,
      newer.count as behind
    from unnest(${columnsOf(versions)}) as installed (bundle_environment_key, bundle_id, version)
    join runtime.bundle_version as published using (bundle_environment_key, bundle_id, version)
    cross join lateral ${newestVersionOf('published')} as newest
    cross join lateral (select count(*) from (
      select from runtime.bundle_version as other
      where other.bundle_environment_key = published.bundle_environment_key and other.bundle_id = published.bundle_id
        and other.is_release = newest.is_release and other.standing is distinct from 'RECALLED' and ${isNewer('other', 'published')}
      limit ${BEHIND_MAX}) as bounded) as newer`.execute(db)
  return new Map(rows.map((row) => [versionKey(row), row.behind]))
}

function countedVersions(visible: VisibleScopes, filter: InstalledVersionFilter): RawBuilder<unknown> {
  const columns = sql`bundle_environment_key, bundle_id, version`
  if (visible.kind === 'scopes')
    return sql`
      select ${columns}, count(*) as installations from runtime.installation as installation
      where state = 'ACTIVE' and ${isVisible(visible, 'installation')} and ${isOf(filter)} group by ${columns}`
  return sql`
    select ${columns}, sum(count)::bigint as installations from runtime.version_count as counted
    where state = 'ACTIVE' and ${isVisible(visible, 'counted')} and ${isOf(filter)}
    group by ${columns} having sum(count) > 0`
}

function isOf({ bundleEnvironmentKey, bundleId, version }: InstalledVersionFilter): RawBuilder<unknown> {
  return sql.join(
    [
      sql`true`,
      ...(bundleEnvironmentKey === undefined ? [] : [sql`bundle_environment_key = ${bundleEnvironmentKey}`]),
      ...(bundleId === undefined ? [] : [sql`bundle_id = ${bundleId}`]),
      ...(version === undefined ? [] : [sql`version = ${version}`]),
    ],
    sql` and `,
  )
}
