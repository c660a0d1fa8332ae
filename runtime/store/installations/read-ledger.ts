import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Db } from '../../world.ts'
import type { RuntimeTables } from '../tables.ts'

export type LedgerRow = Selectable<RuntimeTables['runtime.installed_resource']>

/** Every resource that the named installations own, as RESOURCES last applied and verified them. */
export function readLedger(db: Db, bundleInstallIds: readonly string[]): Promise<LedgerRow[]> {
  return db
    .selectFrom('runtime.installed_resource')
    .selectAll()
    .where('bundle_install_id', '=', sql<string>`any(${[...bundleInstallIds]}::uuid[])`)
    .orderBy('locator')
    .execute()
}
