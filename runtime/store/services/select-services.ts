import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Scope } from '#contract/protocol/scope.ts'
import type { InstallationState } from '#contract/runtime-api/vocabulary.ts'
import type { Db } from '../../model/db.ts'

/** The Module that owns a service, with the scope of its installation. */
export interface ServiceOwner {
  bundleInstallId: string
  locator: string
  scope: Scope
}

export interface ServiceRow {
  service_id: string
  title: string
  url: string
  /**
   * The callable methods: the events that the owning Module declares as installed, or the listed ones without an
   * owner.
   */
  methods: string[]
  owner: ServiceOwner | null
  owner_state: InstallationState | null
  /** Whether the ledger of the owner still has the Module. */
  owner_has_module: boolean
  consumers: Scope[]
  enabled: boolean
  updated_at: string
  /** The value of the `isUsable` condition. */
  is_usable: boolean
}

/** `where` and `isUsable` use the aliases `service` and `owner`. */
interface ServiceQuery {
  where: RawBuilder<unknown>
  isUsable?: RawBuilder<boolean>
  limit?: number | null
}

/** Returns services with the data of their owners, ordered by id. */
export async function selectServices(db: Db, query: ServiceQuery): Promise<ServiceRow[]> {
  const result = await serviceQuery(query).execute(db)
  return result.rows
}

/** The statement of {@link selectServices}, for use within another one. */
export function serviceQuery({
  where,
  isUsable = sql<boolean>`true`,
  limit = null,
}: ServiceQuery): RawBuilder<ServiceRow> {
  return sql<ServiceRow>`
    select
      service.service_id, service.title, service.url, service.consumers, service.enabled,
      service.updated_at, owner.state as owner_state,
      case when service.owner_locator is not null then json_build_object(
        'bundleInstallId', owner.bundle_install_id,
        'locator', service.owner_locator,
        'scope', json_build_object(
          'environmentKey', owner.environment_key,
          'applicationRuntimeId', owner.application_runtime_id,
          'workspaceId', owner.workspace_id)) end as owner,
      owned.locator is not null as owner_has_module,
      case when service.owner_locator is null then service.methods else coalesce(declared.methods, '[]'::json) end
        as methods,
      ${isUsable} as is_usable
    from runtime.service as service
    left join runtime.installation as owner on owner.bundle_install_id = service.owner_bundle_install_id
    left join runtime.installed_resource as owned
      on owned.bundle_install_id = service.owner_bundle_install_id and owned.locator = service.owner_locator
    left join runtime.bundle_version as version
      on version.bundle_environment_key = owner.bundle_environment_key
      and version.bundle_id = owner.bundle_id and version.version = owned.version
    left join lateral (
      select json_agg(event ->> 'method' order by event ->> 'method') as methods
      from json_array_elements(version.manifest -> 'resources') as resource,
        json_array_elements(coalesce(resource -> 'events', '[]'::json)) as event
      where resource ->> 'moduleId' = owned.module_id
    ) as declared on true
    where ${where}
    order by service.service_id
    limit ${limit}::int`
}
