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
}

/**
 * The properties that refer to a service, as saved or as applied, ordered by installation, locator and property,
 * starting after `after`.
 */
export async function listReferrerRows(
  db: Db,
  actor: Actor,
  options: { serviceId: string; after: readonly (string | number)[] | null; limit: number },
): Promise<ReferrerRow[]> {
  const { serviceId, after, limit } = options
  const [installId, locator, property] = after ?? []
  const result = await sql<ReferrerRow>`
    select installation.environment_key, installation.application_runtime_id, installation.workspace_id,
      installation.bundle_install_id, installation.bundle_environment_key, installation.bundle_id,
      held.locator, held.property
    from (
      select bundle_install_id, locator, property, value from runtime.configuration_property
      union all
      select bundle_install_id, locator, applied.key, applied.value
      from runtime.installed_resource, jsonb_each(properties) as applied
    ) as held
    join runtime.installation as installation on installation.bundle_install_id = held.bundle_install_id
    where installation.state <> 'DETACHED'
      and (case held.value ->> '@type'
        when 'ServiceReference' then held.value ->> 'serviceId' = ${serviceId}
        when 'ServiceReferenceMap' then exists (
          select from jsonb_each(held.value -> 'valueMap') as entry where entry.value ->> 'serviceId' = ${serviceId})
        when 'ServiceReferenceList' then exists (
          select from jsonb_array_elements(held.value -> 'valueList') as entry
          where entry ->> 'serviceId' = ${serviceId})
        else false end)
      and ${visibleTo(actor, 'read', 'installation')}
      and ${
        after === null
          ? sql`true`
          : sql`(installation.bundle_install_id::text, held.locator, held.property) > (${installId}, ${locator}, ${property})`
      }
    group by installation.bundle_install_id, held.locator, held.property
    order by installation.bundle_install_id::text, held.locator, held.property
    limit ${limit}`.execute(db)
  return result.rows
}
