import { claimColumns } from './claim.ts'
import { upgradeTo } from './upgrade-column.ts'
import type { Db } from '../../model/db.ts'
import type { InstallationViewRow } from '../../model/installation.ts'

/** Returns one installation with its claim. */
export function findInstallation(db: Db, bundleInstallId: string): Promise<InstallationViewRow | undefined> {
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
    .where('installation.bundle_install_id', '=', bundleInstallId)
    .executeTakeFirst()
}
