import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Actor } from '../../model/actor.ts'
import type { InstallationIdentityColumns } from '../../model/installation.ts'
import { visibleTo } from '../visible-scopes.ts'
import type { Db } from '../../model/db.ts'

export interface ReferrerRow extends InstallationIdentityColumns {
  installation_title: string
  locator: string
  /** Null if the resource is not installed yet. */
  resource_title: string | null
  property: string
  service_id: string
  service_title: string
}

/**
 * The properties that refer to the services, as saved or as applied, ordered by installation, locator, property and
 * service, starting after `after`. The indexes on `service_ids` find them.
 */
export async function listReferrerRows(
  db: Db,
  actor: Actor,
  options: ReferrersOptions,
): Promise<ReferrerRow[]> {
  return (await referrersQuery(actor, options).execute(db)).rows
}

interface ReferrersOptions {
  serviceIds: readonly string[]
  after: readonly (string | number)[] | null
  limit: number
  /** Installations whose references are left out. */
  except?: readonly string[]
}

/** The query of {@link listReferrerRows}. */
export function referrersQuery(
  actor: Actor,
  { serviceIds, after, limit, except = [] }: ReferrersOptions,
): RawBuilder<ReferrerRow> {
  const [installId, locator, property, serviceId] = after ?? []
  return sql<ReferrerRow>`
    with found as (
      select installation.environment_key, installation.application_runtime_id, installation.workspace_id,
        installation.bundle_install_id, installation.bundle_environment_key, installation.bundle_id,
        installation.title as installation_title, held.locator, held.property, target.service_id
      from ${referencesTo(serviceIds)}
      where installation.state <> 'DETACHED'
        and target.service_id = any(${serviceIds}::text[])
        and installation.bundle_install_id <> all(${except}::uuid[])
        and ${visibleTo(actor, 'read', 'installation')}
        and ${
          after === null
            ? sql`true`
            : sql`(installation.bundle_install_id::text, held.locator, held.property, target.service_id)
                > (${installId}, ${locator}, ${property}, ${serviceId})`
        }
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
      order by installation.bundle_install_id::text, held.locator, held.property, target.service_id
      limit ${limit}
    )
    select found.*, resource.title as resource_title, service.title as service_title
    from found
    join runtime.service on service.service_id = found.service_id
    left join runtime.installed_resource as resource
      on resource.bundle_install_id = found.bundle_install_id and resource.locator = found.locator
    order by found.bundle_install_id::text, found.locator, found.property, found.service_id`
}

/**
 * The properties that refer to the services, as saved and as applied, as alias `held`, with `target.service_id` and
 * their installation as alias `installation`. The indexes on `service_ids` find them.
 */
export function referencesTo(serviceIds: readonly string[]): RawBuilder<unknown> {
  return sql`(
        select bundle_install_id, locator, property, value from runtime.configuration_property
        where value ->> '@type' like 'ServiceReference%'
          and runtime.service_ids(value) && ${serviceIds}::text[]
        union all
        select bundle_install_id, locator, applied.key, applied.value
        from runtime.installed_resource, jsonb_each(properties) as applied
        where jsonb_path_exists(properties, '$.*."@type" ? (@ starts with "ServiceReference")')
          and runtime.service_ids_of_all(properties) && ${serviceIds}::text[]
      ) as held
      cross join lateral unnest(runtime.service_ids(held.value)) as target (service_id)
      -- a few of many installations, which the planner cannot estimate: "offset 0" looks up each
      cross join lateral (
        select * from runtime.installation where bundle_install_id = held.bundle_install_id offset 0) as installation`
}
