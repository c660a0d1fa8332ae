import { mapLedger } from '../../sealing/places.ts'
import { sealingWith } from '../../sealing/stored-value.ts'
import type { Vault } from '../../model/vault.ts'
import type { Tx } from '../../model/db.ts'
import type { LedgerRow } from '../../model/ledger.ts'

/**
 * Replaces the definitions of a resource in the ledger and seals its values accordingly. `verified_at` does not
 * change.
 */
export async function putDefinitions(
  tx: Tx,
  vault: Vault,
  row: Pick<LedgerRow, 'bundle_install_id' | 'locator' | 'definitions' | 'properties'>,
): Promise<void> {
  const key = { bundleInstallId: row.bundle_install_id, locator: row.locator }
  const properties = mapLedger(key, row.properties, sealingWith(vault), row.definitions)
  await tx
    .updateTable('runtime.installed_resource')
    .set({ definitions: JSON.stringify(row.definitions), properties: JSON.stringify(properties) })
    .where('bundle_install_id', '=', row.bundle_install_id)
    .where('locator', '=', row.locator)
    .execute()
}
