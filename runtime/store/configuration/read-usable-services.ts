import { sql } from 'kysely'
import type { Scope } from '#contract/protocol/scope.ts'
import { usableBy } from '../services/usable-by.ts'
import type { Db } from '../../model/db.ts'

/**
 * Returns those of the services that the scope may refer to: registered, enabled and usable by the scope. See
 * docs/protocol.md#who-may-use-a-service.
 */
export async function readUsableServices(
  db: Db,
  scope: Scope,
  serviceIds: readonly string[],
): Promise<Set<string>> {
  if (serviceIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('runtime.service as service')
    .leftJoin('runtime.installation as owner', 'owner.bundle_install_id', 'service.owner_bundle_install_id')
    .select('service.service_id')
    .where('service.service_id', '=', sql<string>`any(${[...serviceIds]}::text[])`)
    .where('service.enabled', '=', true)
    .where(usableBy(scope))
    .execute()
  return new Set(rows.map(({ service_id }) => service_id))
}
