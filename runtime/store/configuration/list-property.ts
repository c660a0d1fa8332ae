import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type * as z from 'zod'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { Manager } from '#contract/runtime-api/managers.ts'
import type { propertyEndpoints } from '#contract/runtime-api/properties.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import type { InstallationRow } from '../../model/installation.ts'
import type { StoredValue } from '../../model/plan.ts'
import { selectedClaim } from '../installations/installations.ts'
import { untilFull } from '../full-page.ts'
import { isVisible, visibleScopes } from '../visible-scopes.ts'
import { inWrittenOrder } from './properties.ts'

export type PropertyQuery = z.output<(typeof propertyEndpoints)['GET /properties']['query']>

/**
 * How many installations a page looks at. A filter that few values match would otherwise read all of them; such a page has
 * fewer rows than its limit, and its cursor continues after the last installation that it looked at.
 */
const LOOKED_AT_MAX = 1_000

/** The place of an installation in the list. */
export type PropertyPlace = Pick<
  InstallationRow,
  'environment_key' | 'application_runtime_id' | 'workspace_id' | 'bundle_install_id'
>

export type ListedProperty = InstallationRow & {
  locator: string
  resource_title: string
  definition: PropertyDefinition
  written_by: string | null
  value: StoredValue | null
  manager: Manager | null
  snapshot_version: number | null
  changed_at: string | null
  changed_by_id: string | null
  changed_by_name: string | null
  change_reason: string | null
}

/**
 * One property in the ACTIVE installations that the actor may see, in the order of their scopes.
 *
 * @returns at most `limit` rows; `continueAfter` is null at the end of the list.
 */
export async function listProperty(
  db: Db,
  actor: Actor,
  query: PropertyQuery,
  after: PropertyPlace | undefined,
): Promise<{ rows: ListedProperty[]; continueAfter: PropertyPlace | null }> {
  const candidates = await listCandidates(db, actor, query, after)
  const lookedAt = candidates.slice(0, LOOKED_AT_MAX)
  if (lookedAt.length === 0) return { rows: [], continueAfter: null }
  // definitions have up to a megabyte, and all resources of one version have the same: one of them is read. An upgrade that has begun
  // marks in its own installation what its version hides, and its version is not the installed one until it has succeeded.
  const selected = sql`
    with resource as materialized (
      select candidate.place, resource.bundle_install_id, resource.locator, resource.title, resource.version,
        (select operation_id from runtime.operation
          where bundle_install_id = resource.bundle_install_id and holds_claim and operation_type = 'UPGRADE') as upgrade
      from unnest(${lookedAt.map((one) => one.bundle_install_id)}::uuid[])
        with ordinality as candidate (bundle_install_id, place)
      join runtime.installation as installation using (bundle_install_id)
      join runtime.installed_resource as resource on resource.bundle_install_id = installation.bundle_install_id
        and resource.locator = installation.bundle_environment_key
          || ${`/${query.bundleId}/${query.kind}/${query.resource}`}
    ), defined as materialized (
      select locator, version, upgrade, resource.definitions -> ${query.property} as definition,
        resource.written_by ->> ${query.property} as written_by
      from (
        select distinct on (locator, version, upgrade) locator, version, upgrade, bundle_install_id from resource
        order by locator, version, upgrade, place) as example
      join runtime.installed_resource as resource using (locator, version, bundle_install_id)
    )
    select resource.place, installation.*, ${selectedClaim}, resource.locator, resource.title as resource_title,
      defined.definition, defined.written_by, standing.value, standing.key_order, standing.manager,
      snapshot.snapshot_version, snapshot.saved_at as changed_at, snapshot.saved_by_id as changed_by_id,
      snapshot.saved_by_name as changed_by_name, snapshot.reason as change_reason
    from resource
    join defined on defined.locator = resource.locator and defined.version = resource.version
      and defined.upgrade is not distinct from resource.upgrade
    join runtime.installation as installation using (bundle_install_id)
    left join runtime.configuration_property as standing on standing.scope_id = installation.scope_id
      and standing.locator = resource.locator and standing.property = ${query.property}
    left join lateral (
      select snapshot_version from runtime.snapshot_change
      where scope_id = installation.scope_id and locator = resource.locator and property = ${query.property}
      order by snapshot_version desc limit 1) as change on true
    left join runtime.snapshot as snapshot on snapshot.scope_id = installation.scope_id
      and snapshot.snapshot_version = change.snapshot_version
    left join runtime.operation as claim
      on claim.bundle_install_id = installation.bundle_install_id and claim.holds_claim
    where defined.definition is not null and ${valueFilter(query)}
    order by resource.place limit ${query.limit + 1}`
  const found = await untilFull<ListedProperty & { key_order: JsonValue }>(selected, {
    order: sql`place`,
    values: [sql`value`],
  }).execute(db)
  const rows = found.rows.slice(0, query.limit).map(({ key_order, ...row }) => ({
    ...row,
    value: row.value === null ? null : inWrittenOrder(row.value, key_order),
  }))
  if ((found.rows[0]?.found ?? 0) > rows.length) return { rows, continueAfter: rows.at(-1) ?? null }
  const isEnd = candidates.length <= LOOKED_AT_MAX
  return { rows, continueAfter: isEnd ? null : (lookedAt.at(-1) ?? null) }
}

/** The installations of the bundle, one more than a page looks at. */
async function listCandidates(
  db: Db,
  actor: Actor,
  query: PropertyQuery,
  after: PropertyPlace | undefined,
): Promise<PropertyPlace[]> {
  const visible = await visibleScopes(db, actor, 'read', query)
  const place = ['environment_key', 'application_runtime_id', 'workspace_id', 'bundle_install_id']
  const columns = sql.join(place.map((column) => sql.ref(`installation.${column}`)))
  const { bundleEnvironmentKey } = query
  const isCandidate = sql`installation.state = 'ACTIVE' and installation.bundle_id = ${query.bundleId}
    and ${bundleEnvironmentKey === undefined ? sql`true` : sql`installation.bundle_environment_key = ${bundleEnvironmentKey}`}
    and ${after === undefined ? sql`true` : isAfter(columns, after)}`
  const select = (condition: RawBuilder<unknown>) => sql`
    select ${columns} from runtime.installation as installation where ${isCandidate} and ${condition}
    order by ${columns} limit ${LOOKED_AT_MAX + 1}`
  // one environment after the other, because each is a range of the index
  const { rows } = await (
    visible.kind === 'environments'
      ? sql<PropertyPlace>`
          select installation.* from unnest(${visible.keys}::text[]) as visible (environment_key)
          cross join lateral (${select(sql`installation.environment_key = visible.environment_key`)}) as installation
          order by ${columns} limit ${LOOKED_AT_MAX + 1}`
      : sql<PropertyPlace>`${select(isVisible(visible, 'installation'))}`
  ).execute(db)
  return rows
}

const isAfter = (columns: RawBuilder<unknown>, after: PropertyPlace): RawBuilder<unknown> =>
  sql`(${columns}) > (${after.environment_key}, ${after.application_runtime_id}, ${after.workspace_id}::bigint,
    ${after.bundle_install_id}::uuid)`

function valueFilter({ origin, equals, differs, since, until }: PropertyQuery): RawBuilder<unknown> {
  const conditions: RawBuilder<unknown>[] = [sql`true`]
  if (origin !== undefined)
    conditions.push(
      sql`case when standing.manager like 'default:%' then 'default' else 'setHere' end = any(${origin}::text[])
        and standing.value is not null`,
    )
  const isShown = sql`coalesce((defined.definition ->> 'isSensitive')::boolean, false) is false
    and standing.value ->> 'isSensitive' is distinct from 'true'`
  if (equals !== undefined)
    conditions.push(sql`${isShown} and standing.value = ${JSON.stringify(equals)}::jsonb`)
  if (differs !== undefined)
    conditions.push(sql`${isShown} and standing.value is distinct from ${JSON.stringify(differs)}::jsonb`)
  if (since !== undefined) conditions.push(sql`snapshot.saved_at >= ${since}::timestamptz`)
  // what was never set has not changed since the installation
  if (until !== undefined)
    conditions.push(sql`coalesce(snapshot.saved_at, installation.created_at) < ${until}::timestamptz`)
  return sql.join(conditions, sql` and `)
}
