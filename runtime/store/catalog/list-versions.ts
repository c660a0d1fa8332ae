import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { BundleRef } from '#contract/protocol/scope.ts'
import type { Db } from '../../world.ts'
import type { RuntimeTables } from '../tables.ts'

export type VersionRow = Pick<
  Selectable<RuntimeTables['runtime.bundle_version']>,
  | 'bundle_environment_key'
  | 'bundle_id'
  | 'version'
  | 'title'
  | 'published_at'
  | 'published_by_id'
  | 'published_by_name'
> & {
  /** `published_at` with all its digits, for the cursor. */
  published_exactly: string
}

/** Published versions of a bundle, newest first, from one row after `after` on. */
export function listVersionRows(
  db: Db,
  bundle: BundleRef,
  page: { after: { publishedAt: string; version: string } | null; limit: number },
): Promise<VersionRow[]> {
  const { after, limit } = page
  let query = db
    .selectFrom('runtime.bundle_version')
    .select([
      'bundle_environment_key',
      'bundle_id',
      'version',
      'title',
      'published_at',
      'published_by_id',
      'published_by_name',
      sql<string>`published_at::text`.as('published_exactly'),
    ])
    .where('bundle_environment_key', '=', bundle.environmentKey)
    .where('bundle_id', '=', bundle.bundleId)
    .orderBy('published_at', 'desc')
    .orderBy('version', 'desc')
    .limit(limit)
  if (after !== null) {
    query = query.where(
      sql<boolean>`(published_at, version) < (${after.publishedAt}::timestamptz, ${after.version})`,
    )
  }
  return query.execute()
}
