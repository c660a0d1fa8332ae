import type { Violation } from '../suite.ts'
import type { Facts } from './facts.ts'
import { broken, callKey, deliveryKey, groupBy } from './group.ts'
import type { AttemptFact, CallFact, OperationFact } from './state.ts'

/**
 * I3: a stage, and in it an order, is begun only when everything before it has ended well and that is stored; nothing is
 * skipped; nothing is sent whose attempt is not stored before.
 */
export function stages({ state, deliveries }: Facts): Violation[] {
  const found: Violation[] = []
  const callsOf = groupBy(state.calls, ({ operation_id }) => operation_id)
  const attemptsOf = groupBy(state.attempts, callKey)
  const arrived = groupBy(
    deliveries.filter(({ isCopy }) => isCopy !== true),
    deliveryKey,
  )
  for (const operation of state.operations) {
    const calls = callsOf.get(operation.operation_id) ?? []
    found.push(...callsOfPlan(operation, calls))
    found.push(...inOrder(operation, calls, attemptsOf))
    if (operation.state === 'SUCCEEDED' && operation.phase !== 'DONE')
      found.push(broken('I3', `${operation.operation_id} succeeded in the phase ${operation.phase}`))
  }
  for (const [key, sent] of arrived) {
    const stored = attemptsOf.get(key)?.length ?? 0
    if (sent.length > stored)
      found.push(broken('I3', `${key} was sent ${sent.length} times and stored ${stored} times`))
  }
  return found
}

/** Each plugin of the plan has one call in each stage, and all of them ended well before a success. */
function callsOfPlan(operation: OperationFact, calls: readonly CallFact[]): Violation[] {
  const found: Violation[] = []
  const expected = (operation.plugins ?? []).flatMap(({ pluginId }) => [
    `BEFORE_RESOURCES ${pluginId}`,
    `AFTER_RESOURCES ${pluginId}`,
  ])
  const there = calls.map(({ stage, plugin_id }) => `${stage} ${plugin_id}`)
  const differs = expected.length !== there.length || expected.some((call) => !there.includes(call))
  if (operation.plugins !== null && differs)
    found.push(broken('I12', `${operation.operation_id} has other calls than its plan: ${there.join(', ')}`))
  const open = calls.filter(({ ended_well }) => !ended_well)
  if (operation.state === 'SUCCEEDED' && open.length > 0)
    found.push(broken('I3', `${operation.operation_id} succeeded without ${open.map(callKey).join(', ')}`))
  return found
}

function inOrder(
  operation: OperationFact,
  calls: readonly CallFact[],
  attemptsOf: ReadonlyMap<string | number, AttemptFact[]>,
): Violation[] {
  const direction = operation.operation_type === 'DETACH' ? -1 : 1
  const rank = (call: CallFact): number =>
    (call.stage === 'BEFORE_RESOURCES' ? 0 : 1e6) + direction * call.call_order
  const begun = (call: CallFact): number =>
    Math.min(...(attemptsOf.get(callKey(call)) ?? []).map(({ started_at }) => started_at))
  const ended = (call: CallFact): number =>
    call.ended_well ? endOf(attemptsOf.get(callKey(call))) : Infinity
  return calls.flatMap((later) =>
    calls
      .filter((earlier) => rank(earlier) < rank(later) && begun(later) < Infinity)
      .filter((earlier) => ended(earlier) > begun(later))
      .map((earlier) =>
        broken('I3', `${callKey(later)} was begun before ${callKey(earlier)} had ended well`),
      ),
  )
}

/** When the attempt was stored by which the call ended well. */
function endOf(attempts: readonly AttemptFact[] | undefined): number {
  const good = (attempts ?? []).filter(
    ({ late, outcome, finished_at }) =>
      !late && finished_at !== null && ['APPLIED', 'VERIFIED', 'NOT_APPLIED'].includes(outcome ?? ''),
  )
  return Math.min(...good.map(({ finished_at }) => finished_at ?? Infinity))
}
