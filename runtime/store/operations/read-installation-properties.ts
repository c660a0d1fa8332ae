import type { CurrentProperties } from '../../operations/configuration-changes.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Db } from '../../world.ts'

/** The properties of one installation in the configuration of its scope. */
export async function readInstallationProperties(
  db: Db,
  bundleInstallId: string,
): Promise<CurrentProperties> {
  const rows = await db
    .selectFrom('runtime.configuration_property')
    .select(['locator', 'property', 'value'])
    .where('bundle_install_id', '=', bundleInstallId)
    .execute()
  const properties = new Map<string, Map<string, TypedValue>>()
  for (const { locator, property, value } of rows) {
    const ofResource = properties.get(locator) ?? new Map<string, TypedValue>()
    properties.set(locator, ofResource.set(property, value))
  }
  return properties
}
