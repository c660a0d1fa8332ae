import { sql } from 'kysely'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Db } from '../../world.ts'

/** Locator → property → value. */
export type Properties = Map<string, Map<string, TypedValue>>

/** The configuration of a scope as it was saved last, whole or of the named resources only. */
export async function readProperties(
  db: Db,
  scopeId: number,
  locators?: readonly string[],
): Promise<Properties> {
  if (locators?.length === 0) return new Map()
  let query = db
    .selectFrom('runtime.configuration_property')
    .select(['locator', 'property', 'value'])
    .where('scope_id', '=', scopeId)
    .orderBy('locator')
    .orderBy('property')
  if (locators !== undefined) query = query.where('locator', '=', sql<string>`any(${[...locators]}::text[])`)
  const properties: Properties = new Map()
  for (const { locator, property, value } of await query.execute()) {
    const ofResource = properties.get(locator) ?? new Map<string, TypedValue>()
    properties.set(locator, ofResource.set(property, value))
  }
  return properties
}
