import type { Violation } from '../suite.ts'
import { broken, callKey, deliveryKey } from './facts.ts'
import type { Facts } from './facts.ts'

const GOOD = new Set(['APPLIED', 'VERIFIED', 'NOT_APPLIED'])

/** I1: a plugin has at most one effect in each stage of an operation; a call succeeds only with a response that its plugin gave. */
export function* effects({ state, deliveries }: Facts): Generator<Violation> {
  const arrived = Map.groupBy(deliveries, deliveryKey)
  const effectsOf = (key: string): number =>
    (arrived.get(key) ?? []).filter(({ isEffect }) => isEffect).length
  for (const key of arrived.keys())
    if (effectsOf(key) > 1) yield broken('I1', `${key} had ${effectsOf(key)} effects`)
  for (const call of state.calls.filter(({ ended_well }) => ended_well)) {
    const key = callKey(call)
    const answers = new Set((arrived.get(key) ?? []).map(({ answered }) => answered))
    if (call.outcome === null || !GOOD.has(call.outcome))
      yield broken('I1', `${key} succeeded with outcome ${call.outcome}`)
    else if (!answers.has(call.outcome))
      yield broken('I1', `${key} ended with ${call.outcome}, which its plugin never answered`)
    if (call.outcome === 'APPLIED' && effectsOf(key) === 0)
      yield broken('I1', `${key} was applied without an effect`)
  }
}

/** I2: every attempt of a call has the same bytes and the sequence of its operation. */
export function* sameBytes({ state, deliveries }: Facts): Generator<Violation> {
  const frozen = new Map(state.calls.map((call) => [callKey(call), call.request_hash]))
  const sequences = new Map(state.operations.map((row) => [row.operation_id, row.execution_sequence]))
  for (const [key, calls] of Map.groupBy(deliveries, deliveryKey)) {
    const bodies = new Set(calls.map(({ bodyHash }) => bodyHash))
    if (bodies.size > 1) yield broken('I2', `${key} was sent with ${bodies.size} different bodies`)
    const stored = frozen.get(key)
    if (stored != null && !bodies.has(stored))
      yield broken('I2', `${key} was sent with another body than is stored`)
    for (const { operationId, executionSequence } of calls) {
      const known = sequences.get(operationId)
      if (known === undefined) yield broken('I11', `${key} was sent, but its operation is not stored`)
      else if (known !== executionSequence)
        yield broken('I2', `${key} was sent with sequence ${executionSequence} instead of ${known}`)
    }
  }
}

/** I17: a plugin that has seen an execution sequence of an installation has no effect from a lower one afterwards. */
export function* noLateEffect({ deliveries }: Facts): Generator<Violation> {
  const seen = new Map<string, number>()
  for (const delivery of deliveries) {
    const { pluginId, bundleInstallId, executionSequence, isEffect } = delivery
    const key = `${pluginId} ${bundleInstallId}`
    const highest = seen.get(key) ?? 0
    if (isEffect && executionSequence < highest)
      yield broken('I17', `${deliveryKey(delivery)} had an effect after sequence ${highest} was seen`)
    seen.set(key, Math.max(highest, executionSequence))
  }
}
