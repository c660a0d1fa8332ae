import { sql } from 'kysely'
import type { Tx } from '../../world.ts'

/** Removes properties of a scope's configuration. */
export async function deleteProperties(
  tx: Tx,
  scopeId: number,
  properties: readonly { locator: string; property: string }[],
): Promise<void> {
  if (properties.length === 0) return
  await sql`
    delete from runtime.configuration_property
    using unnest(${properties.map(({ locator }) => locator)}::text[], ${properties.map(({ property }) => property)}::text[])
      as gone (locator, property)
    where configuration_property.scope_id = ${scopeId}
      and configuration_property.locator = gone.locator
      and configuration_property.property = gone.property`.execute(tx)
}
