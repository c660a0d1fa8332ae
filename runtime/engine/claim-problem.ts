import type { Claim } from '#contract/runtime-api/installations.ts'
import type { OperationState } from '#contract/runtime-api/vocabulary.ts'
import type { Problem } from './problem.ts'

/** Why a claimed installation cannot be changed, and what to do. */
export function claimProblem(
  bundleId: string,
  claim: Pick<Claim, 'operationId' | 'operationType'> & { state: OperationState },
): Problem {
  const what = `The ${claim.operationType} operation ${claim.operationId} of bundle ${bundleId}`
  return claim.state === 'FAILED'
    ? {
        errorCode: 'OPERATION_CLAIM_HELD',
        message: `${what} has failed and still claims the installation. Retry it, or take it over with a DETACH.`,
      }
    : {
        errorCode: 'OPERATION_IN_PROGRESS',
        message: `${what} is not finished yet. Wait until it is, then try again.`,
      }
}

/** Unfinished operations end by themselves; a FAILED one waits for a person, and so is no reason to try again. */
export function endsByItself(problems: readonly Problem[]): boolean {
  return problems.every(({ errorCode }) => errorCode === 'OPERATION_IN_PROGRESS')
}
