import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { BundleRef } from '#contract/protocol/scope.ts'
import { instantAt, microsecondsOf } from '../instants.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import type { Db } from '../../model/db.ts'

export type VersionRow = Pick<
  Selectable<RuntimeTables['runtime.bundle_version']>,
  | 'bundle_environment_key'
  | 'bundle_id'
  | 'version'
  | 'title'
  | 'published_at'
  | 'published_by_id'
  | 'published_by_name'
  | 'precedence'
> & {
  /** For the cursor. */
  published_microseconds: number
}

/** The published versions of a bundle, the highest first, starting after `after`. */
export function listVersionRows(
  db: Db,
  bundle: BundleRef,
  page: { after: { precedence: string; publishedAt: number; version: string } | null; limit: number },
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
      'precedence',
      microsecondsOf('published_at').as('published_microseconds'),
    ])
    .where('bundle_environment_key', '=', bundle.environmentKey)
    .where('bundle_id', '=', bundle.bundleId)
    .orderBy('precedence', 'desc')
    .orderBy('published_at', 'desc')
    .orderBy('version', 'desc')
    .limit(limit)
  if (after !== null) {
    query = query.where(
      sql<boolean>`(precedence, published_at, version)
        < (${after.precedence}, ${instantAt(after.publishedAt)}, ${after.version})`,
    )
  }
  return query.execute()
}
