import { sql } from 'kysely'
import type { Db } from '../../model/db.ts'

export interface PropertyOfScope {
  scopeId: number
  locator: string
  property: string
}

/**
 * Whether properties that are no longer defined were sensitive when they last changed. A property without
 * a result counts as sensitive.
 */
export async function readKnownSensitivity(
  db: Db,
  properties: readonly PropertyOfScope[],
): Promise<(PropertyOfScope & { isSensitive: boolean })[]> {
  if (properties.length === 0) return []
  const found = await sql<PropertyOfScope & { isSensitive: boolean }>`
    select asked.scope_id as "scopeId", asked.locator, asked.property, last_change.is_sensitive as "isSensitive"
    from unnest(
      ${properties.map(({ scopeId }) => scopeId)}::bigint[],
      ${properties.map(({ locator }) => locator)}::text[],
      ${properties.map(({ property }) => property)}::text[]) as asked (scope_id, locator, property)
    join lateral (
      select is_sensitive from runtime.snapshot_change
      where scope_id = asked.scope_id and locator = asked.locator and property = asked.property
      order by snapshot_version desc limit 1) as last_change on true`.execute(db)
  return found.rows
}
