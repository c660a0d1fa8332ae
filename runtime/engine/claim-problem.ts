import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { Claim } from '#contract/runtime-api/claim.ts'
import type { OperationState } from '#contract/runtime-api/vocabulary.ts'
import type { PlatformProblem, Problem } from './problem.ts'

/** Why a claimed installation cannot be changed, and what to do. */
export function claimProblem(
  bundleId: string,
  claim: Pick<Claim, 'operationId' | 'operationType'> & { state: OperationState },
): PlatformProblem {
  const { operationType, operationId } = claim
  const operation = { operationType, operationId, bundle: bundleId }
  return claim.state === 'FAILED'
    ? { errorCode: 'OPERATION_CLAIM_HELD', ...platformMessage('lockedByFailed', operation) }
    : { errorCode: 'OPERATION_IN_PROGRESS', ...platformMessage('lockedByRunning', operation) }
}

/** Whether the claim ends without a person. A FAILED operation waits for one, so retrying the request does not help. */
export function endsAutomatically(problems: readonly Problem[]): boolean {
  return problems.every(({ errorCode }) => errorCode === 'OPERATION_IN_PROGRESS')
}
