import { NOT_RECEIVED } from '#contract/protocol/call-causes.ts'
import { isFromPlugin } from '#contract/protocol/messages.ts'
import type { Violation } from '../suite.ts'
import { broken, callKey, deliveryKey } from './facts.ts'
import type { Facts } from './facts.ts'
import type { AttemptFact } from './state.ts'

/** I9: an unknown result is never reported as a success, nor as a failure without effect. */
export function* unknownResults({ state, deliveries }: Facts): Generator<Violation> {
  const attemptsOf = Map.groupBy(state.attempts, callKey)
  const arrived = Map.groupBy(deliveries, deliveryKey)
  for (const call of state.calls) {
    const key = callKey(call)
    const attempts = attemptsOf.get(key) ?? []
    const last = attempts.findLast(({ finished_at, late }) => finished_at !== null && !late)
    if (last === undefined) continue
    if (isUncertain(last) && call.ended_well && !attempts.some(isDefiniteSuccess))
      yield broken('I9', `${key} succeeded by an answer that proves nothing`)
    if (!call.failed || NOT_CALLED.has(call.error_code ?? '') || call.error_code === 'PLUGIN_RESULT_UNKNOWN')
      continue
    if (isUncertain(last))
      yield broken('I9', `${key} failed with ${call.error_code} after an answer that proves nothing`)
    const before = attempts.filter(({ run, attempt }) => run === last.run && attempt < last.attempt)
    // a plugin that says that no repetition can succeed knows what the earlier attempts did
    if (last.retryable === true && before.some(mayHaveActed))
      yield broken('I9', `${key} failed with ${call.error_code} after an earlier attempt that may have acted`)
  }
  for (const { operation_id, error_code } of state.operations.filter((row) => row.state === 'FAILED')) {
    const failed = state.calls.filter((call) => call.operation_id === operation_id && call.failed)
    if (failed.length === 0) yield broken('I9', `${operation_id} FAILED without a failed call`)
    if (failed.every((call) => call.error_code !== error_code))
      yield broken('I9', `${operation_id} FAILED with a code that none of its calls has`)
    for (const call of failed.filter((one) => one.error_code === 'PLUGIN_REPORTED_FAILURE'))
      if ((arrived.get(callKey(call)) ?? []).every(({ answered }) => answered !== 'FAILED'))
        yield broken('I9', `${callKey(call)} is a reported failure, but its plugin reported none`)
  }
}

/** Of a call that was not sent, because the plugin is gone. */
const NOT_CALLED: ReadonlySet<string> = new Set(['PLUGIN_NOT_REGISTERED', 'PLUGIN_RETIRED'])

/** Not if the plugin answered with a failure, nor if it cannot have received the call. */
function mayHaveActed({ finished_at, by_platform, outcome, error_code, reason }: AttemptFact): boolean {
  if (finished_at === null) return !by_platform
  if (outcome !== null) return outcome === 'UNKNOWN'
  if (error_code === null || reason === null) return false
  return !isFromPlugin({ parameters: { reason } }) && !NOT_RECEIVED.has(reason)
}

const isUncertain = ({ http_status, outcome }: AttemptFact): boolean =>
  http_status !== 200 || outcome === 'UNKNOWN'

const isDefiniteSuccess = (attempt: AttemptFact): boolean =>
  !isUncertain(attempt) && attempt.outcome !== null && attempt.outcome !== 'FAILED'
