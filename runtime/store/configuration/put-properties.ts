import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Manager } from '#contract/runtime-api/managers.ts'
import { configurationPlace } from '../../sealing/places.ts'
import { sealingWith } from '../../sealing/stored-value.ts'
import { inBatches } from '../batches.ts'
import { keyOrderOf } from './key-order.ts'
import type { Tx } from '../../model/db.ts'
import type { Vault } from '../../model/vault.ts'

export interface PropertyToPut {
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
