import { sql } from 'kysely'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import { configurationPlace } from '../../sealing/places.ts'
import { openingWith } from '../../sealing/stored-value.ts'
import { opening } from '../../sealing/opening.ts'
import { inWrittenOrder } from '../configuration/key-order.ts'
import type { CurrentProperties } from '../../model/properties.ts'
import type { Vault } from '../../model/vault.ts'
import type { Db } from '../../model/db.ts'

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
