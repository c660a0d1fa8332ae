import { sql } from 'kysely'
import type { Db } from '../../model/db.ts'
import { containsText } from '../contains-text.ts'
import { newestVersionOf } from './newest-version.ts'

export interface BundleRow {
  bundle_environment_key: string
  bundle_id: string
  versions: number
  title: string
  description: string | null
  version: string
  published_at: string
}

/** The bundles with their newest version, ordered by environment and id, starting after `after`. */
export async function listBundleRows(
  db: Db,
  options: {
    environmentKey: string | undefined
    q: string | undefined
    after: readonly (string | number)[] | null
    limit: number
  },
): Promise<BundleRow[]> {
  const { environmentKey, q, after, limit } = options
  const [afterEnvironment, afterId] = after ?? []
  const result = await sql<BundleRow>`
    select bundle.bundle_environment_key, bundle.bundle_id, bundle.versions,
      latest.title, latest.description, latest.version, latest.published_at
    from (
      select bundle_environment_key, bundle_id, count(*) as versions
      from runtime.bundle_version
      where ${environmentKey === undefined ? sql`true` : sql`bundle_environment_key = ${environmentKey}`}
        and ${after === null ? sql`true` : sql`(bundle_environment_key, bundle_id) > (${afterEnvironment}, ${afterId})`}
      group by bundle_environment_key, bundle_id
    ) as bundle
    join lateral ${newestVersionOf('bundle')} as latest on true
    where ${containsText(q, [sql`bundle.bundle_id`, sql`latest.title`])}
    order by bundle.bundle_environment_key, bundle.bundle_id
    limit ${limit}`.execute(db)
  return result.rows
}
