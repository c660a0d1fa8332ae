import type { InstallationRow } from '../../use-cases/operations/freeze.ts'
import type { Tx } from '../../deps/runtime-deps.ts'

/** The installation, locked until the transaction ends. */
export function lockInstallation(tx: Tx, bundleInstallId: string): Promise<InstallationRow> {
  return tx
    .selectFrom('runtime.installation')
    .selectAll()
    .where('bundle_install_id', '=', bundleInstallId)
    .forUpdate()
    .executeTakeFirstOrThrow()
}
