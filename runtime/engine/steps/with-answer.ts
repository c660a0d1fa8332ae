import type { JsonValue } from '#contract/json-schema/json.ts'
import { maskFailure } from '../calls/failures.ts'
import type { RecordedAttempt } from '../../model/attempt.ts'
import type { Call } from '../../model/call.ts'

/** The call after its answer is recorded, as `recordAttempts` leaves it. */
export function withAnswer(call: Call, answers: readonly RecordedAttempt[]): Call {
  const answer = answers.find(({ key }) => isSameCall(key, call))
  if (answer === undefined) return call
  const { after, judgement, nextAttemptAt } = answer
  const { endedWell, failed, failure } = after
  return { ...call, endedWell, failed, failure, nextAttemptAt, writes: endedWell ? judgement.writes : null }
}

/** The call with these secrets masked in its failure, which may become the failure of the operation. */
export function withoutSecrets(call: Call, secrets: readonly JsonValue[]): Call {
  return secrets.length === 0 ? call : { ...call, failure: maskFailure(call.failure, secrets) }
}

type InOperation = Pick<Call, 'stage' | 'pluginId'>

/** Whether both belong to the same call of an operation. */
export function isSameCall(one: InOperation, other: InOperation): boolean {
  return one.stage === other.stage && one.pluginId === other.pluginId
}
