import { sql, type RawBuilder } from 'kysely'
import type { OperationState, Phase } from '#contract/runtime-api/vocabulary.ts'
import { failCalls } from './calls.ts'
import { leaseRows, lockedOf } from './leases.ts'
import { putResources } from '../installations/ledger.ts'
import { recordAttempts, plannedAttempts, startAttempts, type NewAttempt } from './attempt-statements.ts'
import { updateInstallations } from '../installations/installations.ts'
import type { OperationRow } from '../../model/operation.ts'
import type { Vault } from '../../model/vault.ts'
import type { Db } from '../../model/db.ts'
import type { FailedCall, Lease, LeasedTransition, RecordedAttempt, Transition } from '../../model/call.ts'
import type { ResourceToPut } from '../../model/ledger.ts'

/** What a step writes of leased operations. Each part names its operation. */
export interface TransitionBatch {
  /** The leases of all operations in the batch. */
  leases: readonly Lease[]
  answers?: readonly RecordedAttempt[]
  failedCalls?: readonly FailedCall[]
  resources?: readonly ResourceToPut[]
  attempts?: readonly NewAttempt[]
  succeeded?: readonly OperationRow[]
  moves?: readonly LeasedTransition[]
  /** The leases of operations that continue without a transition. */
  stays?: readonly Lease[]
}

/** The ids of the operations that were written, by kind of write. */
export interface PersistedTransitions {
  /** Includes those that continue without a transition. */
  moved: ReadonlySet<string>
  /** The number of attempts that were started, by operation. */
  begun: ReadonlyMap<string, number>
}

/**
 * Writes everything that one step does to operations, in one statement and so in one transaction: the recorded
 * responses, the resulting resources, calls, installations and operations, the attempts that start, and the events.
 * Skips an operation that is no longer held or that another session has locked, so the statement never waits. Of an
 * operation whose state is not what the worker assumed, only the responses are recorded.
 */
export async function persistTransitions(
  db: Db,
  vault: Vault,
  changes: TransitionBatch,
): Promise<PersistedTransitions> {
  const { leases, answers = [], failedCalls = [], resources = [] } = changes
  const { attempts = [], succeeded = [], moves = [], stays = [] } = changes
  const parts: RawBuilder<unknown>[] = []
  const without: RawBuilder<unknown>[] = []
  if (answers.length > 0) {
    parts.push(recordAttempts(vault, answers))
    without.push(sql`unsure`)
  }
  if (attempts.length > 0) {
    parts.push(plannedAttempts(vault, attempts))
    without.push(sql`stale`)
  }
  parts.push(expectedOperations(without))
  if (failedCalls.length > 0) parts.push(failCalls(failedCalls))
  if (resources.length > 0) parts.push(putResources(vault, resources))
  if (attempts.length > 0) parts.push(startAttempts)
  if (succeeded.length > 0) parts.push(updateInstallations(succeeded))
  const moved: RawBuilder<unknown>[] = []
  if (moves.length > 0) {
    parts.push(moveOperations(moves))
    moved.push(sql`select operation_id from moved`)
  }
  if (stays.length > 0) {
    parts.push(notifyUnmoved(stays))
    moved.push(sql`select operation_id from unmoved`)
  }
  const advanced = await sql<{ moved: string[]; begun: string[] }>`
    with lease as (select * from ${leaseRows(leases)}
    ), held as materialized (
      ${lockedOf(sql`operation_id, scope_id, paused`, { skipLocked: true })}
    ), ${sql.join(parts, sql`, `)}
    select ${moved.length > 0 ? sql`array(${sql.join(moved, sql` union all `)})` : sql`'{}'`}::text[] as moved,
      ${attempts.length > 0 ? sql`array(select operation_id from begun)` : sql`'{}'`}::text[] as begun`.execute(
    db,
  )
  const [row] = advanced.rows
  if (row === undefined) throw new Error('a select without a table returns a row')
  const begun = new Map<string, number>()
  for (const operationId of row.begun) begun.set(operationId, (begun.get(operationId) ?? 0) + 1)
  return { moved: new Set(row.moved), begun }
}

/** The held operations whose state is what the worker assumed. */
function expectedOperations(without: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  const conditions = without.map(
    (others) => sql`not exists (select from ${others} as other where other.operation_id = held.operation_id)`,
  )
  return sql`
    confirmed as (select operation_id from held where ${sql.join([sql`true`, ...conditions], sql` and `)})`
}

/** For `persistTransitions`: emits events of operations whose rows do not change while their calls advance. */
export function notifyUnmoved(leases: readonly Lease[]): RawBuilder<unknown> {
  return sql`
    unmoved as (
      select operation_id, held.scope_id
      from unnest(${leases.map(({ operationId }) => operationId)}::uuid[]) as reported (operation_id)
      join confirmed using (operation_id) join held using (operation_id)
    ), unmoved_event as (
      insert into runtime.event (kind, scope_id, object_id)
      select 'operation', scope_id, operation_id::text from unmoved
    )`
}

/**
 * For `persistTransitions`: the only place that changes the state of leased operations. Emits an event of each
 * operation, and of its installation if the state of its claim changes. `moved` are the operations that were still
 * held.
 */
export function moveOperations(moves: readonly LeasedTransition[]): RawBuilder<unknown> {
  const targets = moves.map(({ move }) => targetOf(move))
  return sql`
    target as (
      select operation_id, state, phase, failure, keeps_lease, is_new_state, next_plugin,
        coalesce(until, clock_timestamp() + due_in_ms * interval '1 millisecond') as due_at
      from unnest(
        ${moves.map(({ lease }) => lease.operationId)}::uuid[],
        ${targets.map(({ state }) => state)}::text[],
        ${targets.map(({ phase }) => phase)}::text[],
        ${targets.map(({ failure }) => failure)}::text[],
        ${targets.map(({ until }) => until)}::timestamptz[],
        ${targets.map(({ dueInMs }) => dueInMs)}::float8[],
        ${targets.map(({ keepsLease }) => keepsLease)}::boolean[],
        ${targets.map(({ isNewState }) => isNewState)}::boolean[],
        ${moves.map(({ nextPlugin }) => nextPlugin ?? null)}::text[])
      as target (operation_id, state, phase, failure, until, due_in_ms, keeps_lease, is_new_state, next_plugin)
    ), moved as (
      update runtime.operation
      set state = target.state,
        phase = target.phase,
        failure = target.failure::json,
        holds_claim = target.state <> 'SUCCEEDED',
        lease_owner = case when target.keeps_lease then operation.lease_owner end,
        finished_at = case when target.state in ('SUCCEEDED', 'FAILED') then clock_timestamp() end,
        next_attempt_at = case when target.state = 'WAITING' then target.due_at end,
        available_at = coalesce(target.due_at, operation.available_at),
        next_plugin = coalesce(target.next_plugin, operation.next_plugin)
      from target join confirmed using (operation_id) join lease using (operation_id)
      where operation.operation_id = target.operation_id
        and operation.lease_owner = lease.owner and operation.lease_epoch = lease.epoch
      returning operation.operation_id, operation.bundle_install_id, operation.scope_id, target.is_new_state
    ), event as (
      insert into runtime.event (kind, scope_id, object_id)
      select 'operation', scope_id, operation_id::text from moved
      union all
      select 'installation', scope_id, bundle_install_id::text from moved where is_new_state
    )`
}

interface Target {
  state: OperationState
  phase: Phase
  failure: string | null
  until: string | null
  dueInMs: number | null
  keepsLease: boolean
  isNewState: boolean
}

/** Fields that a case leaves out are, or become, empty in a leased operation. */
function targetOf(move: Transition): Target {
  const nothing = { failure: null, until: null, dueInMs: null, keepsLease: false, isNewState: true }
  switch (move.kind) {
    case 'keep':
      return {
        ...nothing,
        state: 'RUNNING',
        phase: move.phase,
        dueInMs: move.leaseMs,
        keepsLease: true,
        isNewState: false,
      }
    case 'wait':
      return { ...nothing, state: 'WAITING', phase: move.phase, until: move.until }
    case 'rest':
      return { ...nothing, state: 'WAITING', phase: move.phase, dueInMs: move.afterMs }
    case 'give-back':
      return { ...nothing, state: 'RUNNING', phase: move.phase, dueInMs: move.afterMs, isNewState: false }
    case 'fail':
      return { ...nothing, state: 'FAILED', phase: move.phase, failure: JSON.stringify(move.failure) }
    case 'succeed':
      return { ...nothing, state: 'SUCCEEDED', phase: 'DONE' }
  }
}
