import { sql } from 'kysely'
import { claimColumns } from './claim.ts'
import type { InstallationViewRow } from '../../model/installation.ts'
import { upgradeTo } from './upgrade-column.ts'
import type { Db } from '../../model/db.ts'

/** Returns the given installations with their claims, unordered. */
export function loadInstallations(
  db: Db,
  bundleInstallIds: readonly string[],
): Promise<InstallationViewRow[]> {
  return db
    .selectFrom('runtime.installation as installation')
    .leftJoin('runtime.operation as claim', (join) =>
      join
        .onRef('claim.bundle_install_id', '=', 'installation.bundle_install_id')
        .on('claim.holds_claim', '=', true),
    )
    .selectAll('installation')
    .select(claimColumns)
    .select(upgradeTo.as('upgrade_to'))
    .where('installation.bundle_install_id', '=', sql<string>`any(${[...bundleInstallIds]}::uuid[])`)
    .execute()
}
