import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { OperationType, Stage } from '#contract/protocol/vocabulary.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import type { Phase } from '#contract/runtime-api/vocabulary.ts'
import type { CallProgress } from '../../model/call.ts'

// The way of an operation.
//
// It begins PENDING in the phase BEFORE_RESOURCES and goes through BEFORE_RESOURCES, RESOURCES and AFTER_RESOURCES to
// DONE; a phase is never skipped and never entered again. In the first and the third the plugins are called, in the
// ascending order of their authorizations (descending in a DETACH), those of an equal order together. A later order is
// called when every call of the orders before it has ended well. Between them the frozen plan is applied to the ledger.
//
// A call ends well, or fails for good, or is to be repeated at a time of its own. While one of them waits the operation
// is WAITING. The first that fails for good ends it: no later one is called, and when those in flight have ended too it
// is FAILED in the phase where it stands. A person's retry clears what failed and it goes on from there: calls that
// ended well are not made again.
//
// nextStep is asked only when no call is in flight. It reads no clock; everything that it needs is in its argument.

export interface OperationProgress {
  operationType: OperationType
  phase: Phase
  calls: readonly CallProgress[]
  /** RFC 3339 in UTC with milliseconds, of the clock that made `nextAttemptAt`. */
  now: string
}

export type Step =
  | { kind: 'call'; stage: Stage; pluginIds: string[] }
  | { kind: 'wait'; until: string }
  | { kind: 'apply-resources' }
  | { kind: 'succeed' }
  | { kind: 'fail'; failure: Failure }

export function nextStep({ operationType, phase, calls, now }: OperationProgress): Step {
  switch (phase) {
    case 'BEFORE_RESOURCES':
      return (
        stepInStage({ operationType, stage: 'BEFORE_RESOURCES', calls, now }) ?? { kind: 'apply-resources' }
      )
    case 'RESOURCES':
      return { kind: 'apply-resources' }
    case 'AFTER_RESOURCES':
      return stepInStage({ operationType, stage: 'AFTER_RESOURCES', calls, now }) ?? { kind: 'succeed' }
    case 'DONE':
      throw new TypeError('an operation that is done has no next step')
  }
}

/** What the stage still needs, or null when all of its calls ended well. */
function stepInStage({
  operationType,
  stage,
  calls,
  now,
}: {
  operationType: OperationType
  stage: Stage
  calls: readonly CallProgress[]
  now: string
}): Step | null {
  const open = calls.filter((call) => call.stage === stage && !call.endedWell)
  const [first] = inCallOrder(open, operationType)
  if (first === undefined) return null
  const failed = inCallOrder(open, operationType).find((call) => call.failed)
  if (failed !== undefined) return { kind: 'fail', failure: failed.failure ?? unexplained(failed.pluginId) }

  const together = inCallOrder(open, operationType).filter((call) => call.order === first.order)
  const due = together.filter((call) => call.nextAttemptAt === null || call.nextAttemptAt <= now)
  if (due.length > 0) return { kind: 'call', stage, pluginIds: due.map((call) => call.pluginId) }
  const until = together.flatMap((call) => call.nextAttemptAt ?? []).toSorted()[0] ?? now
  return { kind: 'wait', until }
}

/** Ascending by order, descending in a DETACH; equal ones by plugin, so that what is told does not depend on chance. */
export function inCallOrder<Call extends { order: number; pluginId: string }>(
  calls: readonly Call[],
  operationType: OperationType,
): Call[] {
  const direction = operationType === 'DETACH' ? -1 : 1
  return calls.toSorted(
    (a, b) =>
      direction * (a.order - b.order) || (a.pluginId < b.pluginId ? -1 : a.pluginId > b.pluginId ? 1 : 0),
  )
}

function unexplained(pluginId: string): Failure {
  return {
    errorCode: 'PLUGIN_RESULT_UNKNOWN',
    ...platformMessage('callUnexplained', { plugin: pluginId }),
    retryable: true,
    errorPath: ['bundle-runtime', pluginId],
  }
}
