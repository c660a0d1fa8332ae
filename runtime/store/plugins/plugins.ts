import { sql } from 'kysely'
import type { RawBuilder, Selectable, Insertable } from 'kysely'
import type { PluginCredential } from '#contract/runtime-api/plugins.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db, Tx } from '../../model/db.ts'
import type { RegistrationRow, Registrations } from '../../model/plugin.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import { untilFull, type OfFullPage } from '../full-page.ts'
import { containsText } from '../text-search.ts'
import { inScope, visibleTo } from '../visible-scopes.ts'
import type { ScopeFilter } from '../visible-scopes.ts'

export type PluginRow = Selectable<RuntimeTables['runtime.plugin']> & {
  credentials: PluginCredential[]
  /** Whether the last report of the registered version passed; null without one. */
  report_passed: boolean | null
}

const TIME = sql.lit('YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')

/** The plugins with their credentials, ordered by id. */
const selectPlugins = (where: RawBuilder<unknown>, limit: number | null = null): RawBuilder<PluginRow> =>
  sql<PluginRow>`
    select plugin.plugin_id, plugin.title, plugin.endpoint, plugin.enabled, plugin.updated_at,
      plugin.timeout_ms, plugin.max_attempts, plugin.max_backoff_ms,
      plugin.owner_team, plugin.owner_contact, plugin.version, plugin.runbooks, plugin.logs_link, plugin.traces_link,
      plugin.retired_at, plugin.retired_by_id, plugin.retired_by_name, plugin.retired_reason, plugin.paused, report.passed as report_passed, coalesce(credential.all, '[]'::json) as credentials
    from runtime.plugin as plugin
    left join lateral (
      select json_agg(json_build_object(
        'credentialId', credential_id,
        'createdAt', to_char(created_at, ${TIME}),
        'lastUsedAt', to_char(last_used_at, ${TIME}),
        'revokedAt', to_char(revoked_at, ${TIME})
      ) order by created_at, credential_id) as all
      from runtime.plugin_credential as credential
      where credential.plugin_id = plugin.plugin_id
    ) as credential on true
    left join runtime.plugin_report as report
      on report.plugin_id = plugin.plugin_id and report.version = plugin.version
    where ${where}
    order by plugin.plugin_id
    limit ${limit}::int`

/** The plugins after one with this ID whose ID or title contains `q`, at most `limit`, until a page is full of their runbooks. */
export async function listPluginRows(
  db: Db,
  actor: Actor,
  {
    after,
    limit,
    q,
    ...scope
  }: ScopeFilter & { after: string | number | undefined; limit: number; q?: string | undefined },
): Promise<(PluginRow & OfFullPage)[]> {
  const plugins = selectPlugins(
    sql`${after === undefined ? sql`true` : sql`plugin.plugin_id > ${after}`}
      and ${containsText(q, [sql`plugin.plugin_id`, sql`plugin.title`])} and ${calledIn(actor, scope)}`,
    limit,
  )
  const page = { order: sql`plugin_id`, values: [sql`runbooks`] }
  return (await untilFull<PluginRow>(plugins, page).execute(db)).rows
}

/**
 * The condition that an active installation in a scope of the filter, which the actor may read, calls the plugin. A scope
 * that the actor may not read matches nothing, so a filter does not reveal its content.
 */
function calledIn(actor: Actor, filter: ScopeFilter): RawBuilder<boolean> {
  const { environmentKey, applicationRuntimeId, workspaceId } = filter
  if (environmentKey === undefined && applicationRuntimeId === undefined && workspaceId === undefined)
    return sql<boolean>`true`
  return sql<boolean>`plugin.plugin_id in (
    select declared ->> 'pluginId'
    -- each version once, however many installations have it: its manifest is read as a whole
    from (
      select distinct bundle_environment_key, bundle_id, version from runtime.installation as installation
      where state = 'ACTIVE' and ${inScope(filter, 'installation')}
        and ${visibleTo(actor, 'read', 'installation')}) as installed
    join runtime.bundle_version as published using (bundle_environment_key, bundle_id, version)
    cross join lateral json_array_elements(published.manifest -> 'plugins') as declared)`
}

/** One plugin; undefined if it is not registered. */
export async function findPlugin(db: Db, pluginId: string): Promise<PluginRow | undefined> {
  return (await selectPlugins(sql`plugin.plugin_id = ${pluginId}`).execute(db)).rows[0]
}

/** The plugins that an operation calls. */
export async function listCalledPlugins(db: Db, operationId: string): Promise<PluginRow[]> {
  const isCalled = sql`plugin.plugin_id in (
    select plugin_id from runtime.plugin_call where operation_id = ${operationId}::uuid)`
  return (await selectPlugins(isCalled).execute(db)).rows
}

/** Returns those of the plugins that have a credential which is not revoked. */
export async function listPluginsWithCredentials(db: Db, pluginIds: readonly string[]): Promise<Set<string>> {
  if (pluginIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('runtime.plugin_credential')
    .select('plugin_id')
    .distinct()
    .where('plugin_id', 'in', [...pluginIds])
    .where('revoked_at', 'is', null)
    .execute()
  return new Set(rows.map(({ plugin_id }) => plugin_id))
}

/**
 * Locks the registration of a plugin against changes of it and its credentials, and returns it, or undefined if there
 * is none.
 */
export function lockPlugin(
  tx: Tx,
  pluginId: string,
): Promise<Selectable<RuntimeTables['runtime.plugin']> | undefined> {
  return tx
    .selectFrom('runtime.plugin')
    .selectAll()
    .where('plugin_id', '=', pluginId)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/**
 * Creates or replaces the registration of a plugin. Returns whether it is saved: one that must be new is not if the ID has
 * been registered meanwhile.
 */
export async function savePluginRow(
  tx: Tx,
  row: Omit<Insertable<RuntimeTables['runtime.plugin']>, 'updated_at'>,
  { mustBeNew }: { mustBeNew: boolean },
): Promise<boolean> {
  const { plugin_id: _, ...columns } = row
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('runtime.plugin')
    .values(row)
    .onConflict((conflict) =>
      mustBeNew
        ? conflict.column('plugin_id').doNothing()
        : conflict
            .column('plugin_id')
            .doUpdateSet({ ...columns, updated_at: sql<string>`clock_timestamp()` }),
    )
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Retires a plugin, or reinstates it with null. The registration counts as saved. */
export async function setRetirement(
  tx: Tx,
  pluginId: string,
  retirement: { by: Pick<Actor, 'id' | 'name'>; reason: string } | null,
): Promise<void> {
  await tx
    .updateTable('runtime.plugin')
    .set({
      retired_at: retirement === null ? null : sql<string>`clock_timestamp()`,
      retired_by_id: retirement?.by.id ?? null,
      retired_by_name: retirement?.by.name ?? null,
      retired_reason: retirement?.reason ?? null,
      updated_at: sql<string>`clock_timestamp()`,
    })
    .where('plugin_id', '=', pluginId)
    .execute()
}

/** The plugins with calls of an operation that have not succeeded, by id. */
export async function listOpenPlugins(db: Db, operationId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('runtime.plugin_call')
    .select('plugin_id')
    .distinct()
    .where('operation_id', '=', operationId)
    .where('ended_well', '=', false)
    .orderBy('plugin_id')
    .execute()
  return rows.map(({ plugin_id }) => plugin_id)
}

/** The part of a registration that decides whether and how a plugin is called. */
export type PluginState = Pick<
  Selectable<RuntimeTables['runtime.plugin']>,
  'plugin_id' | 'enabled' | 'endpoint' | 'timeout_ms' | 'max_attempts' | 'max_backoff_ms'
> & {
  /** Absent otherwise, so that plan tokens stay the same. */
  retired?: true
}

/** Returns those of the plugins that are registered, by id; disabled ones too. */
export async function readPluginStates(
  db: Db,
  pluginIds: readonly string[],
): Promise<Map<string, PluginState>> {
  if (pluginIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('runtime.plugin')
    .select([
      'plugin_id',
      'enabled',
      'endpoint',
      'timeout_ms',
      'max_attempts',
      'max_backoff_ms',
      'retired_at',
    ])
    .where('plugin_id', 'in', [...pluginIds])
    .execute()
  return new Map(
    rows.map(({ retired_at, ...row }) => [
      row.plugin_id,
      { ...row, ...(retired_at !== null && { retired: true as const }) },
    ]),
  )
}

/** Returns those of the plugins that are retired, by id. */
export async function readRetired(db: Db, pluginIds: readonly string[]): Promise<ReadonlySet<string>> {
  const states = await readPluginStates(db, pluginIds)
  return new Set([...states.values()].flatMap(({ plugin_id, retired }) => (retired ? [plugin_id] : [])))
}

export interface EndpointRow {
  plugin_id: string
  since: string
  endpoint: string
}

/** The newest endpoints of each plugin of an operation that were in use since the operation was created, newest first. */
export async function readEndpoints(db: Db, operationId: string): Promise<EndpointRow[]> {
  const { rows } = await sql<EndpointRow>`
    select plugin.plugin_id, used.since, used.endpoint
    from (select distinct plugin_id from runtime.plugin_call where operation_id = ${operationId}::uuid) as plugin
    cross join lateral (
      select since, endpoint from (
        select since, endpoint, lag(since, 1, 'infinity') over (order by since desc) as until
        from runtime.plugin_endpoint where plugin_id = plugin.plugin_id
        order by since desc limit 20
      ) as period
      where until > (select created_at from runtime.operation where operation_id = ${operationId}::uuid)
    ) as used
    order by plugin.plugin_id, used.since desc`.execute(db)
  return rows
}

/**
 * Returns the current registrations of these plugins, without those that are disabled or not registered. A retired one is
 * returned even if it is disabled.
 */
export async function readRegistrations(db: Db, pluginIds: readonly string[]): Promise<Registrations> {
  const found = await sql<
    { now: string } & { [column in keyof RegistrationRow]: RegistrationRow[column] | null }
  >`
    select moment.now, plugin.plugin_id, plugin.endpoint, plugin.timeout_ms, plugin.max_attempts, plugin.max_backoff_ms,
      plugin.retired_at is not null as retired, plugin.paused,
      (select max(since) from runtime.plugin_endpoint where plugin_id = plugin.plugin_id) as endpoint_since
    from (select clock_timestamp() as now) as moment
    left join runtime.plugin on plugin.plugin_id = any(${[...pluginIds]}::text[])
      and (plugin.enabled or plugin.retired_at is not null)`.execute(db)
  const byPlugin = new Map<string, RegistrationRow>()
  for (const { plugin_id, endpoint, endpoint_since, retired, paused, ...limits } of found.rows) {
    if (plugin_id === null || endpoint === null) continue
    const { timeout_ms, max_attempts, max_backoff_ms } = limits
    byPlugin.set(plugin_id, {
      plugin_id,
      endpoint,
      ...(endpoint_since !== null && { endpoint_since }),
      timeout_ms,
      max_attempts,
      max_backoff_ms,
      retired: retired === true,
      paused: paused === true,
    })
  }
  return { now: found.rows[0]!.now, byPlugin }
}
