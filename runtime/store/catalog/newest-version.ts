import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'

/**
 * The newest published version of the bundle of a row, as a subquery of one row: the highest release, or the highest
 * version if there is no release. Expects the columns bundle_environment_key and bundle_id of the alias.
 */
export const newestVersionOf = (table: string): RawBuilder<unknown> => sql`(
  select published.version, published.title, published.description, published.precedence, published.published_at
  from runtime.bundle_version as published
  where published.bundle_environment_key = ${sql.ref(`${table}.bundle_environment_key`)}
    and published.bundle_id = ${sql.ref(`${table}.bundle_id`)}
  order by published.is_release desc, published.precedence desc, published.published_at desc, published.version desc
  limit 1)`

/** The condition that the first version is newer: by its precedence, or published later if that is the same. */
export const isNewer = (newest: string, installed: string): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(`${newest}.precedence`)}, ${sql.ref(`${newest}.published_at`)})
    > (${sql.ref(`${installed}.precedence`)}, ${sql.ref(`${installed}.published_at`)})`
