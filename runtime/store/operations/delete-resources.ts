import { sql } from 'kysely'
import type { Tx } from '../../world.ts'

/** Takes resources out of the ledger of an installation, the named ones or all. */
export async function deleteResources(
  tx: Tx,
  bundleInstallId: string,
  locators: readonly string[] | 'all',
): Promise<void> {
  let query = tx.deleteFrom('runtime.installed_resource').where('bundle_install_id', '=', bundleInstallId)
  if (locators !== 'all') query = query.where('locator', '=', sql<string>`any(${[...locators]}::text[])`)
  await query.execute()
}
