import { sql } from 'kysely'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Manager } from '#contract/runtime-api/managers.ts'
import { configurationPlace } from '../../sealing/places.ts'
import { openingWith } from '../../sealing/stored-value.ts'
import { opening } from '../../sealing/opening.ts'
import { inWrittenOrder } from './key-order.ts'
import type { StoredValue } from '../../model/stored-value.ts'
import type { Vault } from '../../model/vault.ts'
import type { Db } from '../../model/db.ts'

/** Locator → property → value. */
export type Properties<Value = TypedValue> = Map<string, Map<string, Value>>

/** Returns the configuration of a scope as last saved: all of it, or only the given resources. */
export async function readProperties(
  db: Db,
  vault: Vault,
  scopeId: number,
  locators?: readonly string[],
): Promise<Properties> {
  return openProperties(db, vault, scopeId, await readStoredProperties(db, scopeId, locators))
}

/** Opens the values of a scope's properties. */
export function openProperties(
  db: Db,
  vault: Vault,
  scopeId: number,
  stored: Properties<StoredValue>,
): Promise<Properties> {
  const open = openingWith(vault)
  return opening(vault, db, () => {
    const properties: Properties = new Map()
    for (const [locator, values] of stored) {
      const opened = new Map<string, TypedValue>()
      for (const [property, value] of values)
        opened.set(property, open(value, configurationPlace(scopeId, locator, property)))
      properties.set(locator, opened)
    }
    return properties
  })
}

/** Like `readProperties`, but with values as stored, sealed ones included: sufficient for showing them to people. */
export async function readStoredProperties(
  db: Db,
  scopeId: number,
  locators?: readonly string[],
): Promise<Properties<StoredValue>> {
  return (await readManagedProperties(db, scopeId, locators)).values
}

/** The values as stored, and the manager of each. */
export async function readManagedProperties(
  db: Db,
  scopeId: number,
  locators?: readonly string[],
): Promise<{ values: Properties<StoredValue>; managers: Properties<Manager> }> {
  const values: Properties<StoredValue> = new Map()
  const managers: Properties<Manager> = new Map()
  if (locators?.length === 0) return { values, managers }
  let query = db
    .selectFrom('runtime.configuration_property')
    .select(['locator', 'property', 'value', 'key_order', 'manager'])
    .where('scope_id', '=', scopeId)
    .orderBy('locator')
    .orderBy('property')
  if (locators !== undefined) query = query.where('locator', '=', sql<string>`any(${[...locators]}::text[])`)
  for (const { locator, property, value: stored, key_order, manager } of await query.execute()) {
    const value = inWrittenOrder(stored, key_order)
    values.set(locator, (values.get(locator) ?? new Map<string, StoredValue>()).set(property, value))
    managers.set(locator, (managers.get(locator) ?? new Map<string, Manager>()).set(property, manager))
  }
  return { values, managers }
}
