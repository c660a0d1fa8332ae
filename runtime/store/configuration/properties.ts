import { sql } from 'kysely'
import { getOwn, isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Manager } from '#contract/runtime-api/managers.ts'
import type { Db, Tx } from '../../model/db.ts'
import type { CurrentProperties, StoredValue } from '../../model/plan.ts'
import type { Vault } from '../../model/vault.ts'
import { opening, openingWith, sealingWith, isSealed } from '../../sealing/sealed-value.ts'
import { configurationPlace } from '../../sealing/places.ts'
import { inBatches } from './snapshots.ts'

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

/** How many bytes the values of a scope have as JSON. */
export async function readValueBytes(db: Db, scopeId: number): Promise<number> {
  const { bytes } = await db
    .selectFrom('runtime.configuration_property')
    .select(sql<number>`coalesce(sum(octet_length(value::text)), 0)::int8`.as('bytes'))
    .where('scope_id', '=', scopeId)
    .executeTakeFirstOrThrow()
  return bytes
}

/** Returns the properties of installations in the configurations of their scopes, by installation. */
export async function readInstallationProperties(
  db: Db,
  vault: Vault,
  bundleInstallIds: readonly string[],
): Promise<Map<string, CurrentProperties>> {
  if (bundleInstallIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('runtime.configuration_property')
    .select(['scope_id', 'bundle_install_id', 'locator', 'property', 'value', 'key_order'])
    .where('bundle_install_id', '=', sql<string>`any(${[...bundleInstallIds]}::uuid[])`)
    .execute()
  const open = openingWith(vault)
  return opening(vault, db, () => {
    const installations = new Map<string, Map<string, Map<string, TypedValue>>>()
    for (const { scope_id, bundle_install_id, locator, property, value: stored, key_order } of rows) {
      const value = inWrittenOrder(stored, key_order)
      const resources = installations.get(bundle_install_id) ?? new Map<string, Map<string, TypedValue>>()
      const properties = resources.get(locator) ?? new Map<string, TypedValue>()
      properties.set(property, open(value, configurationPlace(scope_id, locator, property)))
      installations.set(bundle_install_id, resources.set(locator, properties))
    }
    return installations
  })
}

interface PropertyToPut {
  scopeId: number
  /** The snapshot that set it. */
  snapshotVersion: number
  bundleInstallId: string
  locator: string
  property: string
  value: TypedValue
  manager: Manager
}

/** Sets properties in the configurations of scopes. */
export async function putProperties(
  tx: Tx,
  vault: Vault,
  properties: readonly PropertyToPut[],
): Promise<void> {
  const seal = sealingWith(vault)
  const rows = properties.map((put) => {
    const value = seal(put.value, configurationPlace(put.scopeId, put.locator, put.property))
    return {
      scope_id: put.scopeId,
      locator: put.locator,
      property: put.property,
      bundle_install_id: put.bundleInstallId,
      value: JSON.stringify(value),
      key_order: keyOrderOf(value),
      snapshot_version: put.snapshotVersion,
      manager: put.manager,
    }
  })
  for (const batch of inBatches(rows)) {
    await tx
      .insertInto('runtime.configuration_property')
      .values(batch)
      .onConflict((conflict) =>
        conflict.columns(['scope_id', 'locator', 'property']).doUpdateSet((eb) => ({
          bundle_install_id: eb.ref('excluded.bundle_install_id'),
          value: eb.ref('excluded.value'),
          key_order: eb.ref('excluded.key_order'),
          snapshot_version: eb.ref('excluded.snapshot_version'),
          manager: eb.ref('excluded.manager'),
        })),
      )
      .execute()
  }
}

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

/** The order of the keys of a value, for the column `key_order`; null if the database keeps it. */
function keyOrderOf(value: StoredValue): string | null {
  if (value['@type'] !== 'Data' || isSealed(value) || isAsStored(value.value)) return null
  return JSON.stringify(keysOf(value.value))
}

/** The value with its keys in the order of `keyOrderOf`. Keys that the order does not name follow the others. */
export function inWrittenOrder(value: StoredValue, order: JsonValue): StoredValue {
  if (order === null || value['@type'] !== 'Data' || isSealed(value)) return value
  return { ...value, value: ordered(value.value, order) }
}

function keysOf(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(keysOf)
  if (!isJsonObject(value)) return 0
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, keysOf(inner)]))
}

function ordered(value: JsonValue, order: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    return Array.isArray(order) ? value.map((item, index) => ordered(item, order[index] ?? 0)) : value
  }
  if (!isJsonObject(value) || !isJsonObject(order)) return value
  const known = Object.keys(order).filter((key) => Object.hasOwn(value, key))
  const others = Object.keys(value).filter((key) => !Object.hasOwn(order, key))
  return Object.fromEntries(
    [...known, ...others].map((key) => [key, ordered(value[key] ?? null, getOwn(order, key) ?? 0)]),
  )
}

/** Whether the keys are in the order of jsonb: shorter ones first, then by their bytes. */
function isAsStored(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.every(isAsStored)
  if (!isJsonObject(value)) return true
  const keys = Object.keys(value).map((key) => Buffer.from(key))
  const isSorted = keys.every((key, index) => {
    const before = keys[index - 1]
    return before === undefined || (before.length - key.length || before.compare(key)) < 0
  })
  return isSorted && Object.values(value).every(isAsStored)
}
