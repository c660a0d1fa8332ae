import type { Violation } from '../suite.ts'
import type { Facts } from './facts.ts'
import { broken, callKey, deliveryKey, groupBy } from './group.ts'
import type { AttemptFact } from './state.ts'

/** I9: what nobody knows is never told as a success, or as a failure without effect. */
export function unknownResults({ state, deliveries }: Facts): Violation[] {
  const found: Violation[] = []
  const attempts = groupBy(state.attempts, callKey)
  const arrived = groupBy(deliveries, deliveryKey)
  for (const call of state.calls) {
    const key = callKey(call)
    const last = lastAnswered(attempts.get(key) ?? [])
    if (call.ended_well && last !== undefined && isUncertain(last) && !wasGoodBefore(attempts.get(key) ?? []))
      found.push(broken('I9', `${key} ended well by an answer that says nothing`))
    if (!call.failed || last === undefined || !isUncertain(last)) continue
    if (call.error_code !== 'PLUGIN_RESULT_UNKNOWN' && call.error_code !== 'PLUGIN_NOT_REGISTERED')
      found.push(broken('I9', `${key} failed with ${call.error_code} after an answer that says nothing`))
  }
  for (const operation of state.operations.filter(({ state: now }) => now === 'FAILED')) {
    const failed = state.calls.filter((call) => call.operation_id === operation.operation_id && call.failed)
    if (failed.length === 0)
      found.push(broken('I9', `${operation.operation_id} FAILED without a failed call`))
    if (failed.every(({ error_code }) => error_code !== operation.error_code))
      found.push(broken('I9', `${operation.operation_id} FAILED with a code that none of its calls has`))
    for (const call of failed.filter(({ error_code }) => error_code === 'PLUGIN_REPORTED_FAILURE')) {
      const answers = arrived.get(callKey(call)) ?? []
      if (answers.every(({ answered }) => answered !== 'FAILED'))
        found.push(broken('I9', `${callKey(call)} is told as reported, but its plugin reported no failure`))
    }
  }
  return found
}

function lastAnswered(attempts: readonly AttemptFact[]): AttemptFact | undefined {
  return attempts.findLast(({ finished_at, late }) => finished_at !== null && !late)
}

const isUncertain = ({ http_status, outcome }: AttemptFact): boolean =>
  http_status !== 200 || outcome === 'UNKNOWN'

const wasGoodBefore = (attempts: readonly AttemptFact[]): boolean =>
  attempts.some(
    (attempt) => !isUncertain(attempt) && attempt.outcome !== null && attempt.outcome !== 'FAILED',
  )
