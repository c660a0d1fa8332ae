import { sql } from 'kysely'
import type { Actor } from '../../model/actor.ts'
import { visibleTo } from '../visible.ts'
import type { Db } from '../../model/db.ts'

export interface ReferrerRow {
  environment_key: string
  application_runtime_id: string
  workspace_id: number
  bundle_install_id: string
  bundle_environment_key: string
  bundle_id: string
  locator: string
  property: string
  service_id: string
}

/**
 * The properties that refer to the services, as saved or as applied, ordered by installation, locator, property and
 * service, starting after `after`.
 */
export async function listReferrerRows(
  db: Db,
  actor: Actor,
  options: { serviceIds: readonly string[]; after: readonly (string | number)[] | null; limit: number },
): Promise<ReferrerRow[]> {
  const { serviceIds, after, limit } = options
  const [installId, locator, property, serviceId] = after ?? []
  const result = await sql<ReferrerRow>`
    select installation.environment_key, installation.application_runtime_id, installation.workspace_id,
      installation.bundle_install_id, installation.bundle_environment_key, installation.bundle_id,
      held.locator, held.property, target.service_id
    from (
      select bundle_install_id, locator, property, value from runtime.configuration_property
      union all
      select bundle_install_id, locator, applied.key, applied.value
      from runtime.installed_resource, jsonb_each(properties) as applied
    ) as held
    cross join lateral (
      select held.value ->> 'serviceId' where held.value ->> '@type' = 'ServiceReference'
      union select entry.value ->> 'serviceId' from jsonb_each(held.value -> 'valueMap') as entry
      where held.value ->> '@type' = 'ServiceReferenceMap'
      union select entry ->> 'serviceId' from jsonb_array_elements(held.value -> 'valueList') as entry
      where held.value ->> '@type' = 'ServiceReferenceList') as target (service_id)
    join runtime.installation as installation on installation.bundle_install_id = held.bundle_install_id
    where installation.state <> 'DETACHED'
      and target.service_id = any(${serviceIds}::text[])
      and ${visibleTo(actor, 'read', 'installation')}
      and ${
        after === null
          ? sql`true`
          : sql`(installation.bundle_install_id::text, held.locator, held.property, target.service_id)
              > (${installId}, ${locator}, ${property}, ${serviceId})`
      }
    group by installation.bundle_install_id, held.locator, held.property, target.service_id
    order by installation.bundle_install_id::text, held.locator, held.property, target.service_id
    limit ${limit}`.execute(db)
  return result.rows
}

/** The ids of the services that an installation owns. */
export async function listOwnedServices(db: Db, bundleInstallId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('runtime.service')
    .select('service_id')
    .where('owner_bundle_install_id', '=', bundleInstallId)
    .execute()
  return rows.map(({ service_id }) => service_id)
}
