import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { OperationType } from '#contract/protocol/vocabulary.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { PAUSES_MAX } from '#contract/runtime-api/pauses.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db, Tx } from '../../model/db.ts'
import { inScope, visibleTo } from '../visible-scopes.ts'
import type { ScopeFilter } from '../visible-scopes.ts'
import { installationTitle } from './calls.ts'

/** What is paused. */
export type Paused = { operationId: string } | { scopeId: number } | { pluginId: string }

export interface PauseRow {
  operation_id: string | null
  operation_type: OperationType | null
  installation_title: string | null
  /** Null of a plugin. */
  environment_key: string | null
  application_runtime_id: string | null
  workspace_id: number | null
  plugin_id: string | null
  plugin_title: string | null
  paused_at: string
  paused_by_id: string
  paused_by_name: string
  reason: string
  operations: number
}

const OPEN = sql`('PENDING', 'RUNNING', 'WAITING')`

/** What is paused that the actor may see, the newest first. An operation that has ended is not paused any more. */
export async function listPauses(
  db: Db,
  actor: Actor,
  {
    operationId,
    pluginId,
    ...scope
  }: ScopeFilter & { operationId?: string | undefined; pluginId?: string | undefined },
): Promise<PauseRow[]> {
  const conditions: RawBuilder<unknown>[] = [
    sql`(pause.operation_id is null or operation.holds_claim)`,
    sql`(pause.plugin_id is not null or ${visibleTo(actor, 'read', 'place')})`,
    inScope(scope, 'place'),
  ]
  if (pluginId !== undefined) conditions.push(sql`pause.plugin_id = ${pluginId}`)
  if (operationId !== undefined)
    conditions.push(sql`exists (
      select from runtime.operation as held where held.operation_id = ${operationId}::uuid and held.holds_claim
        and ${visibleTo(actor, 'read', 'held')} and (held.operation_id = pause.operation_id or held.scope_id = pause.scope_id
          or (held.next_plugin = pause.plugin_id and held.state in ${OPEN})))`)
  const { rows } = await sql<PauseRow>`
    select pause.operation_id, pause.plugin_id, pause.paused_at, pause.paused_by_id, pause.paused_by_name, pause.reason,
      place.*, operation.operation_type, ${installationTitle()} as installation_title, plugin.title as plugin_title,
      case
        when pause.operation_id is not null then (operation.state in ${OPEN})::int
        when pause.plugin_id is not null then (
          select count(*) from runtime.operation as held
          where held.state in ${OPEN} and held.next_plugin = pause.plugin_id and ${visibleTo(actor, 'read', 'held')})
        else (
          select count(*) from runtime.installation join runtime.operation as held using (bundle_install_id)
          where installation.scope_id = pause.scope_id and held.holds_claim and held.state in ${OPEN})
      end::int4 as operations
    from runtime.pause
    left join runtime.operation as operation on operation.operation_id = pause.operation_id
    left join runtime.scope as scope on scope.scope_id = pause.scope_id
    left join runtime.plugin as plugin on plugin.plugin_id = pause.plugin_id
    cross join lateral (
      select coalesce(operation.environment_key, scope.environment_key) as environment_key,
        coalesce(operation.application_runtime_id, scope.application_runtime_id) as application_runtime_id,
        coalesce(operation.workspace_id, scope.workspace_id) as workspace_id) as place
    where ${sql.join(conditions, sql` and `)}
    order by pause.paused_at desc
    limit ${PAUSES_MAX}`.execute(db)
  return rows
}

/** What holds the plugin calls of operations in these scopes, or the calls of these plugins, by when it was paused. */
export async function readPausesOf(
  db: Db,
  scopes: readonly Scope[],
  pluginIds: readonly string[],
): Promise<({ pluginId: string | null; scope: Scope } & Pick<PauseRow, 'paused_by_name' | 'reason'>)[]> {
  const { rows } = await sql<PauseRow>`
    select pause.plugin_id, scope.environment_key, scope.application_runtime_id, scope.workspace_id, pause.paused_by_name, pause.reason
    from runtime.pause left join runtime.scope as scope using (scope_id)
    where pause.plugin_id = any(${[...pluginIds]}::text[])
      or (scope.environment_key, scope.application_runtime_id, scope.workspace_id) in (
        select * from unnest(${scopes.map((scope) => scope.environmentKey)}::text[],
          ${scopes.map((scope) => scope.applicationRuntimeId)}::text[], ${scopes.map((scope) => scope.workspaceId)}::bigint[]))
    order by pause.paused_at`.execute(db)
  return rows.map(({ plugin_id, environment_key, application_runtime_id, workspace_id, ...row }) => ({
    ...row,
    pluginId: plugin_id,
    scope: {
      environmentKey: environment_key ?? '',
      applicationRuntimeId: application_runtime_id ?? '',
      workspaceId: workspace_id ?? 0,
    },
  }))
}

/**
 * Pauses something, in the transaction that holds its lock. Returns false if it is paused already. An operation that calls a plugin
 * now is not stopped: the worker reads that it is paused before the next call.
 */
export async function insertPause(
  tx: Tx,
  what: Paused,
  by: Pick<Actor, 'id' | 'name'>,
  reason: string,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('runtime.pause')
    .values({
      operation_id: null,
      scope_id: null,
      plugin_id: null,
      ...columnOf(what),
      paused_by_id: by.id,
      paused_by_name: by.name,
      reason,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows !== 1n) return false
  await markPaused(tx, what)
  return true
}

/** Resumes something. Returns false if it is not paused. */
export async function deletePause(tx: Tx, what: Paused): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('runtime.pause')
    .where((condition) => condition.and(columnOf(what)))
    .executeTakeFirst()
  if (numDeletedRows !== 1n) return false
  await markPaused(tx, what)
  return true
}

const columnOf = (what: Paused) =>
  'operationId' in what
    ? { operation_id: what.operationId }
    : 'scopeId' in what
      ? { scope_id: what.scopeId }
      : { plugin_id: what.pluginId }

/** Writes what the table says where workers read it, and emits the events of the operations that it concerns. */
async function markPaused(tx: Tx, what: Paused): Promise<void> {
  if ('pluginId' in what) {
    await sql`
      update runtime.plugin set paused = is_held, resumed_at = case when is_held then resumed_at else clock_timestamp() end
      from (select exists (select from runtime.pause where pause.plugin_id = ${what.pluginId}) as is_held) as held
      where plugin_id = ${what.pluginId}`.execute(tx)
    await sql`
      with held as (
        select operation_id, bundle_install_id, scope_id from runtime.operation
        where state in ${OPEN} and next_plugin = ${what.pluginId}
      ) ${eventsOf(sql`held`)}`.execute(tx)
    return
  }
  const concerned =
    'operationId' in what
      ? sql`operation.operation_id = ${what.operationId}::uuid`
      : sql`operation.holds_claim and operation.bundle_install_id in (
          select bundle_install_id from runtime.installation where scope_id = ${what.scopeId})`
  await sql`
    with locked as materialized (
      -- in the order of all others who lock several
      select operation_id from runtime.operation where ${concerned} order by operation_id for no key update
    ), judged as (
      select operation_id, exists (
        select from runtime.pause
        where pause.operation_id = operation.operation_id or pause.scope_id = operation.scope_id) as is_held
      from locked join runtime.operation using (operation_id)
    ), held as (
      update runtime.operation
      set paused = is_held, resumed_at = case when is_held then resumed_at else clock_timestamp() end
      from judged where operation.operation_id = judged.operation_id
      returning operation.operation_id, operation.bundle_install_id, operation.scope_id
    ) ${eventsOf(sql`held`)}`.execute(tx)
}

const eventsOf = (table: RawBuilder<unknown>) => sql`
      insert into runtime.event (kind, scope_id, object_id)
      select changed.kind, scope_id, changed.object_id
      from ${table}, lateral (values
        ('operation', operation_id::text), ('installation', bundle_install_id::text)) as changed (kind, object_id)`
