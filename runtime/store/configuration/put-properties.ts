import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Tx } from '../../world.ts'
import { inBatches } from '../batches.ts'

export interface PropertyToPut {
  bundleInstallId: string
  locator: string
  property: string
  value: TypedValue
}

/** Sets properties of a scope's configuration as of a snapshot. */
export async function putProperties(
  tx: Tx,
  at: { scopeId: number; snapshotVersion: number },
  properties: readonly PropertyToPut[],
): Promise<void> {
  const rows = properties.map(({ bundleInstallId, locator, property, value }) => ({
    scope_id: at.scopeId,
    locator,
    property,
    bundle_install_id: bundleInstallId,
    value: JSON.stringify(value),
    snapshot_version: at.snapshotVersion,
  }))
  for (const batch of inBatches(rows)) {
    await tx
      .insertInto('runtime.configuration_property')
      .values(batch)
      .onConflict((conflict) =>
        conflict.columns(['scope_id', 'locator', 'property']).doUpdateSet((eb) => ({
          bundle_install_id: eb.ref('excluded.bundle_install_id'),
          value: eb.ref('excluded.value'),
          snapshot_version: eb.ref('excluded.snapshot_version'),
        })),
      )
      .execute()
  }
}
