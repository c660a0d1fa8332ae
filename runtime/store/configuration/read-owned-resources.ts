import { sql } from 'kysely'
import { claimColumns } from '../installations/claim.ts'
import type { Db } from '../../model/db.ts'
import type { OwnedResource } from '../../model/owned-resource.ts'

/**
 * The resources that ACTIVE installations of a scope own: all, or the given ones. One statement reads both ledger and
 * claim. Under the lock of the scope, an unclaimed installation stays unclaimed.
 */
export function readOwnedResources(
  db: Db,
  scopeId: number,
  locators?: readonly string[],
): Promise<OwnedResource[]> {
  let query = db
    .selectFrom('runtime.installed_resource as resource')
    .innerJoin('runtime.installation as installation', (join) =>
      join
        .onRef('installation.bundle_install_id', '=', 'resource.bundle_install_id')
        .on('installation.state', '=', 'ACTIVE'),
    )
    .leftJoin('runtime.operation as claim', (join) =>
      join
        .onRef('claim.bundle_install_id', '=', 'resource.bundle_install_id')
        .on('claim.holds_claim', '=', true),
    )
    .select([
      'resource.locator',
      'resource.bundle_install_id',
      'resource.kind',
      'resource.title',
      'resource.definitions',
      'resource.written_by',
      ...claimColumns,
    ])
    .where('resource.scope_id', '=', scopeId)
    .orderBy('resource.locator')
  if (locators !== undefined)
    query = query.where('resource.locator', '=', sql<string>`any(${[...locators]}::text[])`)
  return query.execute()
}
