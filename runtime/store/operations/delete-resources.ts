import { sql } from 'kysely'
import type { Tx } from '../../model/db.ts'

/** Deletes the given resources from the ledgers of their installations. */
export async function deleteResources(
  tx: Tx,
  resources: readonly { bundleInstallId: string; locator: string }[],
): Promise<void> {
  if (resources.length === 0) return
  await sql`
    delete from runtime.installed_resource
    using unnest(
      ${resources.map(({ bundleInstallId }) => bundleInstallId)}::uuid[],
      ${resources.map(({ locator }) => locator)}::text[]) as gone (bundle_install_id, locator)
    where installed_resource.bundle_install_id = gone.bundle_install_id
      and installed_resource.locator = gone.locator`.execute(tx)
}

/** Deletes all resources from the ledgers of installations. */
export async function emptyLedgers(tx: Tx, bundleInstallIds: readonly string[]): Promise<void> {
  if (bundleInstallIds.length === 0) return
  await sql`
    delete from runtime.installed_resource
    where bundle_install_id = any(${[...bundleInstallIds]}::uuid[])`.execute(tx)
}
