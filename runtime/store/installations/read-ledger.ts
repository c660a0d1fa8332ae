import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import { mapLedger } from '../../sealing/places.ts'
import { openingWith } from '../../sealing/stored-value.ts'
import { opening } from '../../sealing/opening.ts'
import type { Vault } from '../../sealing/opening.ts'
import type { Db } from '../../deps/runtime-deps.ts'
import type { RuntimeTables } from '../../model/tables.ts'

export type StoredLedgerRow = Selectable<RuntimeTables['runtime.installed_resource']>
export type LedgerRow = Omit<StoredLedgerRow, 'properties'> & { properties: Record<string, TypedValue> }

/** Every resource that the named installations own, as RESOURCES last applied and verified them. */
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

/** The same as it stands in the database: enough for showing it to people. */
export function readStoredLedger(db: Db, bundleInstallIds: readonly string[]): Promise<StoredLedgerRow[]> {
  return db
    .selectFrom('runtime.installed_resource')
    .selectAll()
    .where('bundle_install_id', '=', sql<string>`any(${[...bundleInstallIds]}::uuid[])`)
    .orderBy('locator')
    .execute()
}
