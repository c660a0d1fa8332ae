import { sensitiveIn } from '../engine/calls/sensitive-values.ts'
import type { CompletedAttempt } from '../model/attempt.ts'
import type { Ready } from './advance-types.ts'
import { mayChangeConfiguration } from './apply-success.ts'
import type { LeasedOperation } from './leased-operation.ts'

/**
 * Whether this step may change more than the operation itself. Such operations are advanced in separate batches.
 */
export function isWide({ leased, answered, isInFlight }: Ready): boolean {
  const { operation, plan, calls, unread } = leased
  if (unread !== null) return false
  if (mayHaveRecorded(leased, answered)) return true
  if (isInFlight) return false
  if (operation.phase !== 'AFTER_RESOURCES' && plan.resources.some(({ action }) => action === 'DETACH'))
    return true
  if (operation.phase !== 'AFTER_RESOURCES' && plan.plugins.length > 0) return false
  const writes = [...(calls ?? []), ...answered.map(({ judgement }) => judgement)].map((one) => one.writes)
  return calls === null || mayChangeConfiguration(operation, writes)
}

/** Whether a plugin wrote a sensitive value that an earlier recorded response may contain. */
function mayHaveRecorded({ calls }: LeasedOperation, answered: readonly CompletedAttempt[]): boolean {
  if (!answered.some(({ judgement }) => sensitiveIn(judgement.writes).length > 0)) return false
  return calls === null || calls.reduce((sum, { attempts }) => sum + attempts, 0) > answered.length
}
