import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { OperationState, Phase } from '#contract/runtime-api/vocabulary.ts'
import type { LeasedTransition, Transition, Lease } from '../../model/call.ts'

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
