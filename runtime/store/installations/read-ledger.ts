import { sql } from 'kysely'
import { mapLedger } from '../../sealing/places.ts'
import { openingWith } from '../../sealing/stored-value.ts'
import { opening } from '../../sealing/opening.ts'
import type { LedgerRow, StoredLedgerRow } from '../../model/ledger.ts'
import type { Vault } from '../../model/vault.ts'
import type { Db } from '../../model/db.ts'

/** Returns all resources that the given installations own, as the RESOURCES phase last applied and verified them. */
export async function readLedger(
  db: Db,
  vault: Vault,
  bundleInstallIds: readonly string[],
): Promise<LedgerRow[]> {
  const rows = await readStoredLedger(db, bundleInstallIds)
  const open = openingWith(vault)
  return opening(vault, db, () =>
    rows.map((row) => {
      const key = { bundleInstallId: row.bundle_install_id, locator: row.locator }
      return { ...row, properties: mapLedger(key, row.properties, open) }
    }),
  )
}

/** Like `readLedger`, but with values as stored, sealed ones included: sufficient for showing them to people. */
export function readStoredLedger(db: Db, bundleInstallIds: readonly string[]): Promise<StoredLedgerRow[]> {
  return db
    .selectFrom('runtime.installed_resource')
    .selectAll()
    .where('bundle_install_id', '=', sql<string>`any(${[...bundleInstallIds]}::uuid[])`)
    .orderBy('locator')
    .execute()
}
