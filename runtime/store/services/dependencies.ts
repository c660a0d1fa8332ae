import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { InstallationState } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import type { InstallationIdentityColumns } from '../../model/installation.ts'
import { visibleTo } from '../visible-scopes.ts'
import { referencesTo } from './list-referrers.ts'

/** How many references to services are read at a time; a popular service has one for each of its installations. */
const REFERENCES_MAX = 20_000
/** How many properties of an installation that refer to a service are named. */
const NAMED_MAX = 5

export interface DependencyInstallation extends InstallationIdentityColumns {
  title: string
  state: InstallationState
}

/** An installation that refers to a service. */
export interface ServiceUse {
  bundle_install_id: string
  service_id: string
  /** The first of them. */
  properties: { locator: string; resourceTitle: string | null; property: string }[]
  property_count: number
}

/** A service with the Module that owns it; without a title if it is not registered. */
export interface DependencyService {
  service_id: string
  title: string | null
  owner_bundle_install_id: string | null
  owner_locator: string | null
}

interface Users {
  /** At most `limit` that are not known yet, ordered by id. */
  installations: DependencyInstallation[]
  /** Of these and of the known ones. */
  uses: ServiceUse[]
  /** How many are not known yet. Of a service with more than {@link REFERENCES_MAX} references it is a part. */
  total: number
}

/** The installations that refer to the services and that the actor may see. */
export async function listUsers(
  db: Db,
  actor: Actor,
  options: { serviceIds: readonly string[]; known: readonly string[]; limit: number },
): Promise<Users> {
  const { rows } = await usersQuery(actor, options).execute(db)
  return rows[0] ?? { installations: [], uses: [], total: 0 }
}

/** The query of {@link listUsers}. */
export function usersQuery(
  actor: Actor,
  { serviceIds, known, limit }: { serviceIds: readonly string[]; known: readonly string[]; limit: number },
): RawBuilder<Users> {
  return sql<Users>`
    with held as materialized (
      select installation.bundle_install_id, held.locator, held.property, target.service_id
      from ${referencesTo(serviceIds)}
      where installation.state <> 'DETACHED' and target.service_id = any(${serviceIds}::text[])
        and ${visibleTo(actor, 'read', 'installation')}
      limit ${REFERENCES_MAX}
    ), users as materialized (
      select bundle_install_id, bundle_install_id = any(${known}::uuid[]) as is_known
      from (select distinct bundle_install_id from held) as referring
    ), added as materialized (
      select bundle_install_id from users where not is_known order by bundle_install_id limit ${limit}
    ), shown as (
      select bundle_install_id from added
      union all
      select bundle_install_id from users where is_known
    )
    select
      (select count(*)::int from users where not is_known) as total,
      (select coalesce(json_agg(installation), '[]'::json) from (
        select ${INSTALLATION_COLUMNS} from added join runtime.installation using (bundle_install_id)
        order by bundle_install_id) as installation) as installations,
      (select coalesce(json_agg(used), '[]'::json) from (
        ${usesOf(sql`select held.* from held join shown using (bundle_install_id)`)}) as used) as uses`
}

/** The services to which the installations refer. */
export async function listUses(db: Db, bundleInstallIds: readonly string[]): Promise<ServiceUse[]> {
  const { rows } = await usesOf(sql<ServiceUse>`
    select held.bundle_install_id, held.locator, held.property, target.service_id
    from (
      select bundle_install_id, locator, property, value from runtime.configuration_property
      where bundle_install_id = any(${bundleInstallIds}::uuid[]) and value ->> '@type' like 'ServiceReference%'
      union all
      select bundle_install_id, locator, applied.key, applied.value
      from runtime.installed_resource, jsonb_each(properties) as applied
      where bundle_install_id = any(${bundleInstallIds}::uuid[])
        and applied.value ->> '@type' like 'ServiceReference%'
    ) as held
    cross join lateral unnest(runtime.service_ids(held.value)) as target (service_id)`).execute(db)
  return rows
}

/** The uses among references with bundle_install_id, locator, property and service_id, which may repeat. */
function usesOf(references: RawBuilder<unknown>): RawBuilder<ServiceUse> {
  return sql<ServiceUse>`
    select bundle_install_id, service_id, count(*)::int as property_count,
      -- a look-up for each that is named: a join reads the ledger of all installations
      json_agg(json_build_object('locator', locator, 'property', property, 'resourceTitle', (
        select title from runtime.installed_resource as resource
        where resource.bundle_install_id = numbered.bundle_install_id and resource.locator = numbered.locator)
      ) order by place) filter (where place <= ${NAMED_MAX}) as properties
    from (
      select *, row_number() over (
        partition by bundle_install_id, service_id order by locator, property) as place
      from (select distinct bundle_install_id, service_id, locator, property from (${references}) as reference)
        as distinct_reference
    ) as numbered
    group by bundle_install_id, service_id
    order by bundle_install_id, service_id`
}

/** The services that the installations own, ordered by id. */
export async function listOwned(db: Db, bundleInstallIds: readonly string[]): Promise<DependencyService[]> {
  const { rows } = await sql<DependencyService>`
    select service_id, title, owner_bundle_install_id, owner_locator from runtime.service
    where owner_bundle_install_id = any(${bundleInstallIds}::uuid[])
    order by service_id`.execute(db)
  return rows
}

/** Services by id, in this order; also those that are not registered. */
export async function listNamed(db: Db, serviceIds: readonly string[]): Promise<DependencyService[]> {
  const { rows } = await sql<DependencyService>`
    select named.service_id, title, owner_bundle_install_id, owner_locator
    from unnest(${serviceIds}::text[]) with ordinality as named (service_id, place)
    left join runtime.service using (service_id)
    order by place`.execute(db)
  return rows
}

/** Those of the installations that the actor may see, ordered by id. */
export async function listVisible(
  db: Db,
  actor: Actor,
  bundleInstallIds: readonly string[],
): Promise<DependencyInstallation[]> {
  const { rows } = await sql<DependencyInstallation>`
    select ${INSTALLATION_COLUMNS} from runtime.installation
    where bundle_install_id = any(${bundleInstallIds}::uuid[]) and ${visibleTo(actor, 'read', 'installation')}
    order by bundle_install_id`.execute(db)
  return rows
}

const INSTALLATION_COLUMNS = sql`environment_key, application_runtime_id, workspace_id, bundle_install_id,
  bundle_environment_key, bundle_id, title, state`
