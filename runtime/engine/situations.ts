import { isFromPlugin, reasonOf } from '#contract/protocol/message-reason.ts'
import type { Failure, NextStep } from '#contract/runtime-api/common.ts'
import type { OperationState } from '#contract/runtime-api/vocabulary.ts'
import { SITUATIONS } from '../model/situations.ts'
import type { Situation } from '../model/situations.ts'

/** The columns of an operation that decide its next step. */
export interface OperationProgressColumns {
  state: OperationState
  failure: Failure | null
  created_at: string
  started_at: string | null
  run_started_at: string | null
  finished_at: string | null
}

/** Who acts next on an operation, what they do, and since when it has been in this situation. */
export function nextStepOf(operation: OperationProgressColumns): NextStep {
  const { state, created_at: created, finished_at: finished } = operation
  const started = operation.run_started_at ?? operation.started_at
  const { actor, action } = situationOf(state, operation.failure)
  const since = state === 'RUNNING' || state === 'WAITING' ? (started ?? created) : (finished ?? created)
  return { actor, action, since }
}

/** An installation that no operation claims needs nothing; otherwise it needs what that operation needs. */
export const nothingNext = (since: string): NextStep => ({ actor: 'NOBODY', action: 'NONE', since })

export function situationOf(state: OperationState, failure: Failure | null): Situation {
  const found = SITUATIONS.find((situation) => situation.states.includes(state) && fits(situation, failure))
  if (found === undefined) throw new TypeError(`no situation matches an operation that is ${state}`)
  return found
}

function fits({ reasons, statuses, ofPlugin, isStopped }: Situation, failure: Failure | null): boolean {
  if (reasons === undefined && ofPlugin === undefined && isStopped === undefined) return true
  if (failure === null) return false
  if (isStopped === true) return failure.stopped !== undefined
  if (ofPlugin !== undefined) return isFromPlugin(failure) && failure.retryable === ofPlugin.retryable
  const reason = reasonOf(failure)
  if (reasons?.some((one) => one === reason) !== true) return false
  return statuses === undefined || statuses.includes(Number(failure.parameters?.['status']))
}
