import { STAGES } from '#contract/protocol/vocabulary.ts'
import type { Violation } from '../suite.ts'
import { broken, callKey, deliveryKey } from './facts.ts'
import type { Facts } from './facts.ts'
import type { AttemptFact, CallFact, OperationFact } from './state.ts'

/**
 * I3: a stage, and an order within it, starts only when everything before it has succeeded and that is stored; nothing
 * is skipped; an attempt is stored before it is sent.
 */
export function* stages({ state, deliveries }: Facts): Generator<Violation> {
  const callsOf = Map.groupBy(state.calls, ({ operation_id }) => operation_id)
  const attemptsOf = Map.groupBy(state.attempts, callKey)
  for (const operation of state.operations) {
    const calls = callsOf.get(operation.operation_id) ?? []
    yield* plannedCalls(operation, calls)
    yield* inOrder(operation, calls, attemptsOf)
    if (operation.state === 'SUCCEEDED' && operation.phase !== 'DONE')
      yield broken('I3', `${operation.operation_id} succeeded in the phase ${operation.phase}`)
  }
  const sent = deliveries.filter(({ isCopy }) => isCopy !== true)
  for (const [key, arrived] of Map.groupBy(sent, deliveryKey)) {
    const stored = attemptsOf.get(key)?.length ?? 0
    if (arrived.length > stored)
      yield broken('I3', `${key} was sent ${arrived.length} times and stored ${stored} times`)
  }
}

/** Each plugin of the plan has one call in each stage, and a succeeded operation has no open call. */
function* plannedCalls(operation: OperationFact, calls: readonly CallFact[]): Generator<Violation> {
  const { operation_id, plugins, state } = operation
  const actual = calls.map(({ stage, plugin_id }) => `${stage} ${plugin_id}`)
  if (plugins !== null) {
    const expected = STAGES.flatMap((stage) => plugins.map(({ pluginId }) => `${stage} ${pluginId}`))
    if (expected.length !== actual.length || expected.some((call) => !actual.includes(call)))
      yield broken('I12', `${operation_id} has other calls than its plan: ${actual.join(', ')}`)
  }
  const open = calls.filter(({ ended_well }) => !ended_well)
  if (state === 'SUCCEEDED' && open.length > 0)
    yield broken('I3', `${operation_id} succeeded without ${open.map(callKey).join(', ')}`)
}

function* inOrder(
  operation: OperationFact,
  calls: readonly CallFact[],
  attemptsOf: ReadonlyMap<string, AttemptFact[]>,
): Generator<Violation> {
  const direction = operation.operation_type === 'DETACH' ? -1 : 1
  const rank = ({ stage, call_order }: CallFact): number =>
    (stage === 'BEFORE_RESOURCES' ? 0 : 1e6) + direction * call_order
  const attempts = (call: CallFact): AttemptFact[] => attemptsOf.get(callKey(call)) ?? []
  const startOf = (call: CallFact): number => Math.min(...attempts(call).map(({ started_at }) => started_at))
  const endOf = (call: CallFact): number =>
    call.ended_well
      ? Math.min(
          ...attempts(call).flatMap((attempt) => (isGood(attempt) ? [attempt.finished_at ?? Infinity] : [])),
        )
      : Infinity
  for (const later of calls.filter((call) => startOf(call) < Infinity))
    for (const earlier of calls)
      if (rank(earlier) < rank(later) && endOf(earlier) > startOf(later))
        yield broken('I3', `${callKey(later)} was started before ${callKey(earlier)} had succeeded`)
}

/** Whether a call could have succeeded by this attempt. */
const isGood = ({ late, outcome, finished_at }: AttemptFact): boolean =>
  !late && finished_at !== null && ['APPLIED', 'VERIFIED', 'NOT_APPLIED'].includes(outcome ?? '')
