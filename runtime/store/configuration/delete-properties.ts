import { sql } from 'kysely'
import type { Tx } from '../../model/db.ts'

/** Deletes properties from the configurations of scopes. */
export async function deleteProperties(
  tx: Tx,
  properties: readonly { scopeId: number; locator: string; property: string }[],
): Promise<void> {
  if (properties.length === 0) return
  await sql`
    delete from runtime.configuration_property
    using unnest(
      ${properties.map(({ scopeId }) => scopeId)}::bigint[],
      ${properties.map(({ locator }) => locator)}::text[],
      ${properties.map(({ property }) => property)}::text[]) as gone (scope_id, locator, property)
    where configuration_property.scope_id = gone.scope_id
      and configuration_property.locator = gone.locator
      and configuration_property.property = gone.property`.execute(tx)
}
