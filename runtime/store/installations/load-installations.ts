import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Db } from '../../deps/runtime-deps.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import { claimColumns } from './claim.ts'
import type { ClaimColumns } from './claim.ts'

/** An installation and the operation that claims it, as one statement saw them. */
export type InstallationRow = Selectable<RuntimeTables['runtime.installation']> & ClaimColumns

/** The named installations with their claims, in no particular order. */
export function loadInstallations(db: Db, bundleInstallIds: readonly string[]): Promise<InstallationRow[]> {
  return db
    .selectFrom('runtime.installation as installation')
    .leftJoin('runtime.operation as claim', (join) =>
      join
        .onRef('claim.bundle_install_id', '=', 'installation.bundle_install_id')
        .on('claim.holds_claim', '=', true),
    )
    .selectAll('installation')
    .select(claimColumns)
    .where('installation.bundle_install_id', '=', sql<string>`any(${[...bundleInstallIds]}::uuid[])`)
    .execute()
}
