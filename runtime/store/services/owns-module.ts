import type { Tx } from '../../model/db.ts'

/** Whether an installation that is not DETACHED has a Module with this locator in its ledger. */
export async function ownsModule(
  tx: Tx,
  owner: { bundleInstallId: string; locator: string },
): Promise<boolean> {
  const row = await tx
    .selectFrom('runtime.installed_resource as resource')
    .innerJoin(
      'runtime.installation as installation',
      'installation.bundle_install_id',
      'resource.bundle_install_id',
    )
    .select('resource.locator')
    .where('resource.bundle_install_id', '=', owner.bundleInstallId)
    .where('resource.locator', '=', owner.locator)
    .where('resource.kind', '=', 'MODULE')
    .where('installation.state', '<>', 'DETACHED')
    .executeTakeFirst()
  return row !== undefined
}
