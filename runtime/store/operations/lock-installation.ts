import type { Tx } from '../../model/db.ts'
import type { InstallationColumns } from '../../model/installation.ts'

/** The installation, locked until the transaction ends. */
export function lockInstallation(tx: Tx, bundleInstallId: string): Promise<InstallationColumns> {
  return tx
    .selectFrom('runtime.installation')
    .selectAll()
    .where('bundle_install_id', '=', bundleInstallId)
    .forUpdate()
    .executeTakeFirstOrThrow()
}
