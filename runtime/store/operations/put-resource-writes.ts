import { sql } from 'kysely'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import { mapLedger } from '../../sealing/places.ts'
import { sealingWith } from '../../sealing/stored-value.ts'
import type { Vault } from '../../model/vault.ts'
import type { Tx } from '../../model/db.ts'

export interface ResourceWrites {
  bundleInstallId: string
  locator: string
  properties: Record<string, TypedValue>
}

/** Adds the writes of plugins after the RESOURCES phase to the properties in the ledger. */
export async function putResourceWrites(
  tx: Tx,
  vault: Vault,
  writes: readonly ResourceWrites[],
): Promise<void> {
  if (writes.length === 0) return
  await sql`
    update runtime.installed_resource
    set properties = installed_resource.properties || written.properties::jsonb
    from unnest(
      ${writes.map(({ bundleInstallId }) => bundleInstallId)}::uuid[],
      ${writes.map(({ locator }) => locator)}::text[],
      ${writes.map((one) => JSON.stringify(mapLedger(one, one.properties, sealingWith(vault))))}::text[])
      as written (bundle_install_id, locator, properties)
    where installed_resource.bundle_install_id = written.bundle_install_id
      and installed_resource.locator = written.locator`.execute(tx)
}
