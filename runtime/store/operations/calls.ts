import { sql } from 'kysely'
import type { RawBuilder, Selectable } from 'kysely'
import { isJsonObject } from '#contract/json-schema/json.ts'
import type { Call, FailedCall } from '../../model/call.ts'
import type { Db } from '../../model/db.ts'
import type { Writes } from '../../model/plan.ts'
import { DEFAULT_CALL_LIMITS } from '../../model/call.ts'
import { OBSTACLE_KINDS, OF_ENDPOINT, OF_ENDPOINT_STATUSES, OF_SERVICE } from '../../model/situations.ts'
import type { Obstacle } from '../../model/situations.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import type { Vault } from '../../model/vault.ts'
import { openingEach, openingWith } from '../../sealing/sealed-value.ts'
import { mapWrites, openRequest } from '../../sealing/places.ts'

export function callOf(row: CallRow): Call {
  return {
    stage: row.stage,
    pluginId: row.plugin_id,
    order: row.call_order,
    endedWell: row.ended_well,
    failed: row.failed,
    failure: row.last_failure,
    nextAttemptAt: row.next_attempt_at,
    writes: row.writes,
    request: row.request,
    attempts: row.attempts,
    runAttempts: row.run_attempts,
  }
}

/**
 * The number of attempts, in the current run, of the current call of a row of `runtime.operation as operation`: one
 * look-up by primary key for each row. The plugin is the one that `operationView` shows.
 */
export function callAttempts(): RawBuilder<number> {
  return sql<number>`coalesce((
    select run_attempts from runtime.plugin_call
    where plugin_call.operation_id = operation.operation_id and plugin_call.stage = operation.phase
      and plugin_call.plugin_id = case when operation.failure is null
        then operation.next_plugin else operation.failure -> 'errorPath' ->> 1 end), 0)`
}

/** The title of the installation of a row of `runtime.operation as operation`: one look-up by primary key for each row. */
export function installationTitle(): RawBuilder<string> {
  return sql<string>`(
    select title from runtime.installation where installation.bundle_install_id = operation.bundle_install_id)`
}

/** The conditions of each obstacle for the operation of this alias. Retired and paused plugins are few, and are read once for a statement. */
const OBSTACLES: Record<Obstacle, (table: OperationAlias) => RawBuilder<unknown>> = {
  PAUSED: (table) => sql`(${isUnfinished(table)} and ${sql.ref(`${table}.paused`)})`,
  PLUGIN_PAUSED: (table) => sql`(${isUnfinished(table)} and ${isPluginPaused(table)})`,
  RETIRED: (table) =>
    sql`${sql.ref(`${table}.failure`)} -> 'errorPath' ->> 1 = any(array(
      select plugin_id from runtime.plugin where retired_at is not null))`,
  RECALLED: (table) =>
    sql`(${sql.ref(`${table}.state`)} = 'FAILED' and ${sql.ref(`${table}.operation_type`)} in ('INSTALL', 'UPGRADE') and exists (
      select from runtime.bundle_version as recalled
      where recalled.standing = 'RECALLED' and recalled.bundle_environment_key = ${sql.ref(`${table}.bundle_environment_key`)}
        and recalled.bundle_id = ${sql.ref(`${table}.bundle_id`)} and recalled.version = ${sql.ref(`${table}.target_version`)}))`,
  CLEARED: (table) => sql`(${sql.ref(`${table}.state`)} = 'FAILED' and ${isCleared(table)})`,
}

/** Whether what the failure of this alias names is in order again, or is another one than when it failed. */
function isCleared(table: OperationAlias): RawBuilder<unknown> {
  const failure = sql.ref(`${table}.failure`)
  const at = sql.ref(`${table}.finished_at`)
  const plugin = sql`${failure} -> 'errorPath' ->> 1`
  const isEnabled = sql`exists (
    select from runtime.plugin where plugin_id = ${plugin} and enabled and retired_at is null)`
  const isMoved = sql`(
    select endpoint from runtime.plugin_endpoint where plugin_id = ${plugin} order by since desc limit 1) <> (
    select endpoint from runtime.plugin_endpoint where plugin_id = ${plugin} and since <= ${at} order by since desc limit 1)`
  const reason = sql`${failure} -> 'parameters' ->> 'reason'`
  const rule = sql`${failure} -> 'refusedHere' ->> 'rule'`
  const listed = (values: readonly (string | number)[]) =>
    sql.join(values.map((value) => sql.lit(String(value))))
  return sql`case
    when ${reason} in ('pluginNotRegistered', 'pluginRetired') or ${rule} = 'PLUGIN_DISABLED' then ${isEnabled}
    when ${reason} = 'callTimeout' then exists (
      select from runtime.plugin where plugin_id = ${plugin}
        and coalesce(timeout_ms, ${sql.lit(DEFAULT_CALL_LIMITS.timeoutMs)}) > (${failure} -> 'parameters' ->> 'seconds')::numeric * 1000)
    when ${reason} in (${listed(OF_ENDPOINT)})
      or ${reason} = 'callHttpStatus' and ${failure} -> 'parameters' ->> 'status' in (${listed(OF_ENDPOINT_STATUSES)})
      then ${isMoved}
    when ${rule} = 'CREDENTIAL_REVOKED' then exists (
      select from runtime.plugin_credential
      where plugin_id = ${plugin} and created_at > ${at} and revoked_at is null)
    when ${rule} in (${listed(OF_SERVICE)}) then exists (
      select from runtime.service
      where service_id = ${failure} -> 'refusedHere' ->> 'service' and enabled and updated_at > ${at})
    else false end`
}

type OperationAlias = 'operation' | 'claim'

/** Whether an unfinished operation of this alias, its scope or the plugin that it calls next is paused. */
export const isPaused = (table: OperationAlias): RawBuilder<unknown> =>
  sql`(${sql.ref(`${table}.paused`)} or ${isPluginPaused(table)})`

const isPluginPaused = (table: OperationAlias): RawBuilder<unknown> =>
  sql`${sql.ref(`${table}.next_plugin`)} = any(array(select plugin_id from runtime.plugin where paused))`
const isUnfinished = (table: OperationAlias): RawBuilder<unknown> =>
  sql`${sql.ref(`${table}.state`)} in ('PENDING', 'RUNNING', 'WAITING')`

/** Whether this stands in the way of `runtime.operation as operation`. */
export const hasObstacle = (obstacle: Obstacle): RawBuilder<boolean> =>
  sql<boolean>`coalesce(${OBSTACLES[obstacle]('operation')}, false)`

/** What stands in the way of the operation of this alias; null if nothing does. */
export function obstacleOf(table: OperationAlias): RawBuilder<Obstacle | null> {
  const cases = OBSTACLE_KINDS.map((kind) => sql`when ${OBSTACLES[kind](table)} then ${sql.lit(kind)}`)
  return sql<Obstacle | null>`case ${sql.join(cases, sql` `)} end`
}

export type StoredCallRow = Selectable<RuntimeTables['runtime.plugin_call']>

/** A call with its request and writes unsealed. */
export type CallRow = Omit<StoredCallRow, 'writes'> & { writes: Writes | null }

const WITHOUT_REQUEST = [
  'operation_id',
  'stage',
  'plugin_id',
  'call_order',
  'outcome',
  'ended_well',
  'failed',
  'writes',
  'attempts',
  'run_attempts',
  'last_failure',
  'next_attempt_at',
] as const satisfies readonly (keyof StoredCallRow)[]

const callsOf = (db: Db, operationId: string) =>
  db
    .selectFrom('runtime.plugin_call')
    .where('operation_id', '=', operationId)
    .orderBy('stage')
    .orderBy('call_order')
    .orderBy('plugin_id')

/** Returns all calls of an operation, both stages. */
export async function readCalls(db: Db, vault: Vault, operationId: string): Promise<CallRow[]> {
  const rows = await callsOf(db, operationId).selectAll().execute()
  return opened(db, vault, operationId, rows)
}

/** {@link readCalls} without the frozen requests, each of which may have all values of an installation. */
export async function readCallsWithoutRequests(
  db: Db,
  vault: Vault,
  operationId: string,
): Promise<CallRow[]> {
  const rows = await callsOf(db, operationId).select(WITHOUT_REQUEST).execute()
  return opened(
    db,
    vault,
    operationId,
    rows.map((row) => ({ ...row, request: null })),
  )
}

async function opened(
  db: Db,
  vault: Vault,
  operationId: string,
  rows: readonly StoredCallRow[],
): Promise<CallRow[]> {
  const calls = (await openCalls(db, vault, rows)).get(operationId) ?? []
  if (calls instanceof Error) throw calls
  return calls
}

/**
 * Opens calls, by operation. If a call does not open, the result is its error, so that other operations can continue.
 */
export async function openCalls(
  db: Db,
  vault: Vault,
  rows: readonly StoredCallRow[],
): Promise<Map<string, CallRow[] | Error>> {
  const operations = [...Map.groupBy(rows, (row) => row.operation_id)]
  const opened = await openingEach(vault, db, operations, ([, calls]) =>
    calls.map((call) => openCall(vault, call)),
  )
  return new Map(operations.map(([operationId], index) => [operationId, opened[index]!]))
}

function openCall(vault: Vault, row: StoredCallRow): CallRow {
  if (!isWrites(row.writes)) throw new Error('the stored writes of a plugin call are damaged')
  if (row.next_attempt_at !== null && Number.isNaN(Date.parse(row.next_attempt_at)))
    throw new Error('the stored retry time of a plugin call is damaged')
  const key = { operationId: row.operation_id, stage: row.stage, pluginId: row.plugin_id }
  return {
    ...row,
    writes: row.writes && mapWrites(key, row.writes, openingWith(vault)),
    request: row.request && openRequest(vault, row.request, key),
  }
}

function isWrites(writes: unknown): boolean {
  return writes === null || (isJsonObject(writes) && Object.values(writes).every(isJsonObject))
}

/** For `persistTransitions`: calls that fail permanently without being made. */
export function failCalls(calls: readonly FailedCall[]): RawBuilder<unknown> {
  return sql`
    failing as (
      update runtime.plugin_call
      set failed = true, last_failure = failing.failure::json, next_attempt_at = null
      from unnest(
        ${calls.map(({ operationId }) => operationId)}::uuid[],
        ${calls.map(({ stage }) => stage)}::text[],
        ${calls.map(({ pluginId }) => pluginId)}::text[],
        ${calls.map(({ failure }) => JSON.stringify(failure))}::text[])
        as failing (operation_id, stage, plugin_id, failure)
      join confirmed using (operation_id)
      where plugin_call.operation_id = failing.operation_id and plugin_call.stage = failing.stage
        and plugin_call.plugin_id = failing.plugin_id and not plugin_call.ended_well
    )`
}
