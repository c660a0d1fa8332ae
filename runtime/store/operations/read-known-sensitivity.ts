import { sql } from 'kysely'
import type { Db } from '../../world.ts'

/**
 * Whether properties that nothing defines any more were sensitive when they were last changed. A property without an
 * answer counts as sensitive.
 */
export async function readKnownSensitivity(
  db: Db,
  scopeId: number,
  properties: readonly { locator: string; property: string }[],
): Promise<{ locator: string; property: string; is_sensitive: boolean }[]> {
  if (properties.length === 0) return []
  const found = await sql<{ locator: string; property: string; is_sensitive: boolean }>`
    select asked.locator, asked.property, last_change.is_sensitive
    from unnest(${properties.map(({ locator }) => locator)}::text[],
      ${properties.map(({ property }) => property)}::text[]) as asked (locator, property)
    join lateral (
      select is_sensitive from runtime.snapshot_change
      where scope_id = ${scopeId} and locator = asked.locator and property = asked.property
      order by snapshot_version desc limit 1) as last_change on true`.execute(db)
  return found.rows
}
