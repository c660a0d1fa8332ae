import { sql } from 'kysely'
import type { Writes } from '../../operations/plan.ts'
import type { Tx } from '../../world.ts'

/** Adds what plugins wrote after RESOURCES to the properties in the ledger. */
export async function putResourceWrites(tx: Tx, bundleInstallId: string, writes: Writes): Promise<void> {
  for (const [locator, properties] of Object.entries(writes)) {
    await sql`
      update runtime.installed_resource
      set properties = properties || ${JSON.stringify(properties)}::jsonb
      where bundle_install_id = ${bundleInstallId} and locator = ${locator}`.execute(tx)
  }
}
