import { sql } from 'kysely'
import type { RawBuilder, Selectable, Insertable } from 'kysely'
import type { Scope } from '#contract/protocol/scope.ts'
import type { InstallationState } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db, Tx } from '../../model/db.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import { inScope, visibleTo } from '../visible-scopes.ts'
import type { ScopeFilter } from '../visible-scopes.ts'
import { containsText } from '../text-search.ts'

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
async function selectServices(db: Db, query: ServiceQuery): Promise<ServiceRow[]> {
  const result = await serviceQuery(query).execute(db)
  return result.rows
}

interface ServiceFilter extends ScopeFilter {
  /** A part of the ID or the title. */
  q?: string | undefined
}

/** The services after one with this ID that match the filter, at most `limit`. */
export const listServiceRows = (
  db: Db,
  actor: Actor,
  { after, limit, q, ...scope }: ServiceFilter & { after: string | number | undefined; limit: number },
): Promise<ServiceRow[]> =>
  selectServices(db, {
    where: sql`${after === undefined ? sql`true` : sql`service.service_id > ${after}`}
      and ${containsText(q, [sql`service.service_id`, sql`service.title`])}
      and ${offeredIn(actor, scope)}`,
    limit,
  })

/** Those of the services that are registered. */
export const listServicesById = (
  db: Db,
  serviceIds: readonly string[],
  isUsable: RawBuilder<boolean>,
): Promise<ServiceRow[]> =>
  selectServices(db, { where: sql`service.service_id = any(${[...serviceIds]}::text[])`, isUsable })

/** One service; undefined if it is not registered. */
export async function findService(db: Db, serviceId: string): Promise<ServiceRow | undefined> {
  const [row] = await selectServices(db, { where: sql`service.service_id = ${serviceId}` })
  return row
}

/** The statement of {@link selectServices}, for use within another one. */
export function serviceQuery({
  where,
  isUsable = sql<boolean>`true`,
  limit = null,
}: ServiceQuery): RawBuilder<ServiceRow> {
  return sql<ServiceRow>`
    with listed as materialized (
      select
        service.service_id, service.title, service.url, service.consumers, service.enabled,
        service.updated_at, owner.state as owner_state, service.methods, service.owner_locator,
        case when service.owner_locator is not null then json_build_object(
          'bundleInstallId', owner.bundle_install_id,
          'locator', service.owner_locator,
          'scope', json_build_object(
            'environmentKey', owner.environment_key,
            'applicationRuntimeId', owner.application_runtime_id,
            'workspaceId', owner.workspace_id)) end as owner,
        owned.locator is not null as owner_has_module,
        owner.bundle_environment_key, owner.bundle_id, owned.version, owned.module_id,
        ${isUsable} as is_usable
      from runtime.service as service
      left join runtime.installation as owner on owner.bundle_install_id = service.owner_bundle_install_id
      left join runtime.installed_resource as owned
        on owned.bundle_install_id = service.owner_bundle_install_id and owned.locator = service.owner_locator
      where ${where}
      order by service.service_id
      limit ${limit}::int
    ), declared as materialized (${declaredEvents('listed')})
    select
      service_id, title, url, consumers, enabled, updated_at, owner_state, owner, owner_has_module, is_usable,
      case when owner_locator is null then methods else coalesce((
        select json_agg(event ->> 'method' order by event ->> 'method')
        from declared cross join lateral json_array_elements(declared.events) as event
        where (declared.bundle_environment_key, declared.bundle_id, declared.version, declared.module_id)
          = (listed.bundle_environment_key, listed.bundle_id, listed.version, listed.module_id)), '[]') end as methods
    from listed
    order by service_id`
}

/**
 * The events that Modules declare as installed, by version and Module. A manifest, up to a megabyte, is read once, not again for each
 * Module.
 *
 * @param modules The relation that names the Modules.
 */
export const declaredEvents = (modules: string): RawBuilder<unknown> => sql`
  select bundle_environment_key, bundle_id, version, module_id, events
  from (
    select bundle_environment_key, bundle_id, version, resource ->> 'moduleId' as module_id, resource -> 'events' as events
    from (select distinct bundle_environment_key, bundle_id, version from ${sql.ref(modules)}) as installed
    join runtime.bundle_version as published using (bundle_environment_key, bundle_id, version)
    cross join lateral json_array_elements(published.manifest -> 'resources') as resource
  ) as module
  where (bundle_environment_key, bundle_id, version, module_id) in (
    select bundle_environment_key, bundle_id, version, module_id from ${sql.ref(modules)}) and events is not null`

/** Locks the registration of a service against changes, and returns it, or undefined if there is none. */
export function lockService(
  tx: Tx,
  serviceId: string,
): Promise<Selectable<RuntimeTables['runtime.service']> | undefined> {
  return tx
    .selectFrom('runtime.service')
    .selectAll()
    .where('service_id', '=', serviceId)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/**
 * Creates or replaces the registration of a service. Returns whether it is saved: one that must be new is not if the ID has
 * been registered meanwhile.
 */
export async function saveServiceRow(
  tx: Tx,
  row: Omit<Insertable<RuntimeTables['runtime.service']>, 'updated_at'>,
  { mustBeNew }: { mustBeNew: boolean },
): Promise<boolean> {
  const { service_id: _, ...columns } = row
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('runtime.service')
    .values(row)
    .onConflict((conflict) =>
      mustBeNew
        ? conflict.column('service_id').doNothing()
        : conflict
            .column('service_id')
            .doUpdateSet({ ...columns, updated_at: sql<string>`clock_timestamp()` }),
    )
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/**
 * The condition that a scope may use a service: it is one of the consumers, or the owner's scope if there are no
 * consumers. See docs/protocol.md#who-may-use-a-service. Expects the aliases `service` and `owner`, the left-joined
 * installation.
 */
export function usableBy({ environmentKey, applicationRuntimeId, workspaceId }: Scope): RawBuilder<boolean> {
  return usableByColumns({
    environmentKey: sql`${environmentKey}::text`,
    applicationRuntimeId: sql`${applicationRuntimeId}::text`,
    workspaceId: sql`${workspaceId}::bigint`,
  })
}

/** As {@link usableBy}, for the scope of an installation with this alias. */
export function usableByInstallation(alias: string): RawBuilder<boolean> {
  return usableByColumns({
    environmentKey: sql.ref(`${alias}.environment_key`),
    applicationRuntimeId: sql.ref(`${alias}.application_runtime_id`),
    workspaceId: sql.ref(`${alias}.workspace_id`),
  })
}

function usableByColumns(scope: { [Part in keyof Scope]: RawBuilder<unknown> }): RawBuilder<boolean> {
  const { environmentKey, applicationRuntimeId, workspaceId } = scope
  return sql<boolean>`(
    service.consumers @> jsonb_build_array(jsonb_build_object('environmentKey', ${environmentKey},
      'applicationRuntimeId', ${applicationRuntimeId}, 'workspaceId', ${workspaceId}))
    or (service.consumers = '[]'::jsonb
      and owner.environment_key is not distinct from ${environmentKey}
      and owner.application_runtime_id is not distinct from ${applicationRuntimeId}
      and owner.workspace_id is not distinct from ${workspaceId}))`
}

/**
 * The condition that a scope of the filter, which the actor may read, may use the service: it is a consumer, or the
 * owner's scope if there are no consumers. A scope that the actor may not read matches nothing, so a filter does not
 * reveal its content. Expects the aliases `service` and `owner`, the left-joined installation.
 */
function offeredIn(actor: Actor, filter: ScopeFilter): RawBuilder<boolean> {
  const { environmentKey, applicationRuntimeId, workspaceId } = filter
  if (environmentKey === undefined && applicationRuntimeId === undefined && workspaceId === undefined)
    return sql<boolean>`true`
  const isReadable = (table: string) => sql`${inScope(filter, table)} and ${visibleTo(actor, 'read', table)}`
  return sql<boolean>`(
    exists (
      select from jsonb_to_recordset(service.consumers)
        as named ("environmentKey" text, "applicationRuntimeId" text, "workspaceId" bigint)
        cross join lateral (values ("environmentKey", "applicationRuntimeId", "workspaceId"))
          as consumer (environment_key, application_runtime_id, workspace_id)
      where ${isReadable('consumer')})
    or (service.consumers = '[]'::jsonb and owner.bundle_install_id is not null and ${isReadable('owner')}))`
}

/** Whether an installation that is not DETACHED has a Module with this locator in its ledger. */
export async function ownsModule(
  tx: Tx,
  owner: { bundleInstallId: string; locator: string },
): Promise<boolean> {
  const row = await tx
    .selectFrom('runtime.installed_resource as resource')
    .innerJoin(
      'runtime.installation as installation',
      'installation.bundle_install_id',
      'resource.bundle_install_id',
    )
    .select('resource.locator')
    .where('resource.bundle_install_id', '=', owner.bundleInstallId)
    .where('resource.locator', '=', owner.locator)
    .where('resource.kind', '=', 'MODULE')
    .where('installation.state', '<>', 'DETACHED')
    .executeTakeFirst()
  return row !== undefined
}

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

/** Returns the addresses of all registered services. No plugin may write one of them. */
export async function readServiceAddresses(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('runtime.service').select('url').distinct().execute()
  return rows.map(({ url }) => url)
}
