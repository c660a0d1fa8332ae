import type { Tx } from '../../model/db.ts'
import type { InstallationColumns } from '../../model/installation.ts'

/** Locks an installation until the transaction ends, and returns it. */
export function lockInstallation(tx: Tx, bundleInstallId: string): Promise<InstallationColumns> {
  return tx
    .selectFrom('runtime.installation')
    .selectAll()
    .where('bundle_install_id', '=', bundleInstallId)
    .forUpdate()
    .executeTakeFirstOrThrow()
}
