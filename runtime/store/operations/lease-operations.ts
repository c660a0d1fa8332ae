import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { toBytes } from '#database/values.ts'
import { leaseEnd } from './leases.ts'
import type { StoredCallRow } from './calls.ts'
import type { StoredPlanRow } from './plans.ts'
import type { OperationRow } from '../../model/operation.ts'
import type { Db } from '../../model/db.ts'
import type { RegistrationRow } from '../../model/plugin.ts'

export interface LeaseRequest {
  owner: string
  leaseMs: number
  limit: number
  /** The most operations to lease whose next call goes to the same plugin. */
  perPlugin: number
  /** Different limits for single plugins, down to 0. */
  rooms: readonly { pluginId: string; room: number }[]
}

export interface LeasedRow {
  operation: OperationRow
  /** Null if it is missing. */
  plan: StoredPlanRow['plan'] | null
  /** As they were before the lease. */
  calls: StoredCallRow[]
  /** The plugin of the first call, if the lease has recorded that the call is made. */
  begun: RegistrationRow | null
}

/**
 * Where the due operations of each plugin begin. Finding them from the start of the index takes longer with every
 * operation that has ended since somebody opened a transaction, because nothing is cleaned up meanwhile.
 */
export interface QueueStart {
  /** No operation was available before this time, except at the plugins below. */
  since: string
  plugins: readonly { pluginId: string; since: string }[]
}

/** Longer than most transactions that make an operation available. To find one of a longer transaction, look back. */
const UNCOMMITTED = sql`interval '0.5 seconds'`

/**
 * Finds where the queue begins. Times are PostgreSQL's.
 *
 * @param from where it began before; by default the whole queue is read.
 * @param lookBackMs how much before that to begin to look.
 */
export async function findQueueStart(
  db: Db,
  from: QueueStart | null = null,
  lookBackMs = 0,
): Promise<QueueStart> {
  const queues = queuesFrom(from, sql`true`, lookBackMs)
  const { rows } = await sql<QueueStart>`
    with recursive plugin (plugin_id) as (${queues.plugins})
    select (statement_timestamp() - ${UNCOMMITTED})::text as since,
      (select coalesce(json_agg(json_build_object('pluginId', plugin_id, 'since', least(
          statement_timestamp() - ${UNCOMMITTED}, (
            select available_at from runtime.operation
            where state in ('PENDING', 'RUNNING', 'WAITING') and next_plugin = plugin_id
              ${queues.bound}
            order by available_at limit 1))::text)), '[]')
        from plugin ${queues.join}
        where plugin_id is not null) as plugins`.execute(db)
  const [start] = rows
  if (start === undefined) throw new Error('the statement returned no row')
  return start
}

/** The plugins that open operations call next, each found by one step in the index. */
const pluginsWithWork = (condition: RawBuilder<unknown>) => sql`
      (select next_plugin from runtime.operation
        where state in ('PENDING', 'RUNNING', 'WAITING') and ${condition}
        order by next_plugin limit 1)
      union all
      select (select next_plugin from runtime.operation
        where state in ('PENDING', 'RUNNING', 'WAITING') and next_plugin > plugin.plugin_id
        order by next_plugin limit 1)
      from plugin where plugin.plugin_id is not null`

/**
 * Leases up to `limit` due operations to one worker, longest due first: new ones, those whose wait is over, and those
 * whose lease has expired. Returns them with their plans and calls as stored. Each plugin's queue is read separately,
 * so a plugin without capacity costs nothing. The first call of a new operation starts with the lease if its request
 * was frozen with the operation and the plugin is enabled and not retired. What is paused, and what calls a paused plugin next,
 * stays in the queue.
 *
 * @param start where to begin to look; by default at the start of the queue.
 */
export async function leaseOperations(
  db: Db,
  request: LeaseRequest,
  start: QueueStart | null = null,
): Promise<LeasedRow[]> {
  const { limit, perPlugin, rooms } = request
  // nobody is called before a database that went back in time is recovered
  const queues = queuesFrom(start, sql`(select runtime.is_same_server())`)
  const leased = await sql<OperationRow & Pick<LeasedRow, 'plan' | 'begun'> & { calls: CallAsJson[] | null }>`
    with recursive plugin (plugin_id) as (${queues.plugins}), due as (
      select candidate.operation_id, candidate.state
      from plugin
      left join unnest(
        ${rooms.map(({ pluginId }) => pluginId)}::text[],
        ${rooms.map(({ room }) => Math.max(0, room))}::integer[]) as known (plugin_id, room) using (plugin_id)
      ${queues.join}
      cross join lateral (
        select operation_id, state, available_at
        from runtime.operation
        where state in ('PENDING', 'RUNNING', 'WAITING') and next_plugin = plugin.plugin_id
          and available_at <= statement_timestamp() and not paused
          ${queues.bound}
        order by available_at
        limit least(coalesce(known.room, case when plugin.plugin_id <> '' then ${perPlugin}::integer end), ${limit}::integer,
          -- a paused plugin has no room
          (select 0 from runtime.plugin as held where held.plugin_id = plugin.plugin_id and held.paused))
        for no key update skip locked) as candidate
      order by candidate.available_at
      limit ${limit}
    ), taken as (
      -- as a list, which is planned for few rows: otherwise the planner expects a tenth of all due rows and scans the table
      select * from unnest(array(select operation_id from due), array(select state from due)) as taken (operation_id, state)
    ), leased as (
      update runtime.operation
      set state = 'RUNNING',
        lease_owner = ${request.owner},
        lease_epoch = operation.lease_epoch + 1,
        available_at = ${leaseEnd(request.leaseMs)},
        started_at = coalesce(operation.started_at, clock_timestamp()),
        next_attempt_at = null
      from taken
      where operation.operation_id = taken.operation_id
      returning operation.*, taken.state as state_before
    ), event as (
      insert into runtime.event (kind, scope_id, object_id)
      select changed.kind, leased.scope_id, changed.object_id
      from leased, lateral (values
        ('operation', leased.operation_id::text),
        ('installation', leased.bundle_install_id::text)) as changed (kind, object_id)
      where leased.state_before <> 'RUNNING'
    ), first_call as materialized (
      select leased.operation_id, 'BEFORE_RESOURCES' as stage, plugin.plugin_id, 0 as attempts, 0 as run_attempts, leased.run, leased.lease_epoch,
        leased.created_at,
        json_build_object('plugin_id', plugin_id, 'endpoint', endpoint, 'timeout_ms', timeout_ms,
          'max_attempts', max_attempts, 'max_backoff_ms', max_backoff_ms, 'retired', false, 'paused', false) as registration
      from leased join runtime.plugin on plugin.plugin_id = leased.next_plugin and plugin.enabled and plugin.retired_at is null
      where leased.state_before = 'PENDING'
    ), attempted as (
      insert into runtime.attempt (operation_id, stage, plugin_id, attempt, run, lease_epoch, due_at)
      select operation_id, stage, plugin_id, attempts + 1, run, lease_epoch, created_at
      from first_call join runtime.plugin_call using (operation_id, stage, plugin_id, attempts, run_attempts)
      where plugin_call.request is not null
      on conflict do nothing
      returning operation_id, stage, plugin_id, attempt
    ), called as (
      update runtime.plugin_call
      set attempts = attempted.attempt, run_attempts = attempted.attempt
      from attempted
      where plugin_call.operation_id = attempted.operation_id and plugin_call.stage = attempted.stage
        and plugin_call.plugin_id = attempted.plugin_id
    )
    select leased.*,
      (select registration from first_call join attempted using (operation_id)
        where operation_id = leased.operation_id) as begun,
      (select plan from runtime.operation_plan where operation_plan.operation_id = leased.operation_id) as plan,
      (select json_agg(plugin_call order by stage, call_order, plugin_id) from runtime.plugin_call
        where plugin_call.operation_id = leased.operation_id) as calls
    from leased`.execute(db)
  return leased.rows.map(({ plan, calls, begun, ...operation }) => ({
    operation,
    plan,
    calls: (calls ?? []).map(callRow),
    begun,
  }))
}

/** The parts of a statement that reads the queue of each plugin from its beginning; whole if that is not known. */
function queuesFrom(start: QueueStart | null, condition: RawBuilder<unknown>, lookBackMs = 0) {
  if (start === null) return { plugins: pluginsWithWork(condition), join: sql``, bound: sql`` }
  return {
    plugins: knownPlugins(start, condition),
    join: sql`left join ${beginnings(start)} using (plugin_id)`,
    bound: sql`and available_at >= coalesce(beginning.since, ${start.since}::timestamptz)
      - make_interval(secs => ${lookBackMs / 1_000}::float8)`,
  }
}

/** All registered plugins, those with open operations, and the empty name of operations that call none. */
const knownPlugins = (start: QueueStart, condition: RawBuilder<unknown>) => sql`
      select plugin_id from (
        select plugin_id from runtime.plugin union select '' union select plugin_id from ${beginnings(start)}) as known
      where ${condition}`

const beginnings = ({ plugins }: QueueStart) => sql`unnest(
        ${plugins.map(({ pluginId }) => pluginId)}::text[],
        ${plugins.map(({ since }) => since)}::timestamptz[]) as beginning (plugin_id, since)`

/** A call as JSON: bytes are text. */
type CallAsJson = Omit<StoredCallRow, 'request'> & { request: string | null }

function callRow(call: CallAsJson): StoredCallRow {
  const { request, next_attempt_at: next } = call
  return {
    ...call,
    request: request === null ? null : toBytes(request),
    // an invalid time stays as it is and openCalls reports it: throwing here would fail the whole batch
    next_attempt_at: next === null || Number.isNaN(Date.parse(next)) ? next : new Date(next).toISOString(),
  }
}
