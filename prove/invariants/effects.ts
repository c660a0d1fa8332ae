import type { Violation } from '../suite.ts'
import type { Facts } from './facts.ts'
import { broken, callKey, deliveryKey, groupBy } from './group.ts'

const GOOD = new Set(['APPLIED', 'VERIFIED', 'NOT_APPLIED'])

/**
 * I1: a plugin that keeps its memory has one effect for an operation and stage; and a call counts as ended well only by
 * an answer that the plugin really gave.
 */
export function effects({ state, deliveries, forgetful }: Facts): Violation[] {
  const found: Violation[] = []
  const arrived = groupBy(deliveries, deliveryKey)
  for (const [key, calls] of arrived) {
    const made = calls.filter(({ isEffect }) => isEffect).length
    if (made > 1 && !isForgetful(forgetful, calls[0]?.pluginId))
      found.push(broken('I1', `${key} had ${made} effects`))
  }
  for (const call of state.calls.filter(({ ended_well }) => ended_well)) {
    const key = callKey(call)
    const answers = new Set((arrived.get(key) ?? []).map(({ answered }) => answered))
    if (call.outcome === null || !GOOD.has(call.outcome))
      found.push(broken('I1', `${key} ended well with outcome ${call.outcome}`))
    else if (!answers.has(call.outcome))
      found.push(broken('I1', `${key} ended with ${call.outcome}, which its plugin never answered`))
    const made = (arrived.get(key) ?? []).filter(({ isEffect }) => isEffect).length
    if (call.outcome === 'APPLIED' && made === 0)
      found.push(broken('I1', `${key} was applied without an effect`))
  }
  return found
}

/** I2: all that is sent for one call is the same, byte for byte, and carries the sequence of its operation. */
export function sameBytes({ state, deliveries }: Facts): Violation[] {
  const found: Violation[] = []
  const frozen = new Map(state.calls.map((call) => [callKey(call), call.request_hash]))
  const sequences = new Map(state.operations.map((row) => [row.operation_id, row.execution_sequence]))
  for (const [key, calls] of groupBy(deliveries, deliveryKey)) {
    const bodies = new Set(calls.map(({ bodyHash }) => bodyHash))
    if (bodies.size > 1) found.push(broken('I2', `${key} was sent with ${bodies.size} different bodies`))
    const stored = frozen.get(String(key))
    if (stored != null && !bodies.has(stored))
      found.push(broken('I2', `${key} was sent with another body than is stored`))
    for (const { operationId, executionSequence } of calls) {
      const known = sequences.get(operationId)
      if (known === undefined) found.push(broken('I11', `${key} was sent, but its operation is not stored`))
      else if (known !== executionSequence)
        found.push(broken('I2', `${key} was sent with sequence ${executionSequence} instead of ${known}`))
    }
  }
  return found
}

/** I17: a plugin that has seen an execution sequence of an installation has no effect from a lower one afterwards. */
export function noEffectFromThePast({ deliveries, forgetful }: Facts): Violation[] {
  const found: Violation[] = []
  const seen = new Map<string, number>()
  for (const delivery of deliveries) {
    const { pluginId, bundleInstallId, executionSequence, isEffect } = delivery
    const key = `${pluginId} ${bundleInstallId}`
    const highest = seen.get(key) ?? 0
    if (isEffect && executionSequence < highest && !isForgetful(forgetful, pluginId))
      found.push(broken('I17', `${deliveryKey(delivery)} had an effect after sequence ${highest} was seen`))
    seen.set(key, Math.max(highest, executionSequence))
  }
  return found
}

function isForgetful(forgetful: ReadonlySet<string> | undefined, pluginId: string | undefined): boolean {
  return pluginId !== undefined && forgetful?.has(pluginId) === true
}
