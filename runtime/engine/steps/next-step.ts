import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { OperationType, Stage } from '#contract/protocol/vocabulary.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import type { Phase } from '#contract/runtime-api/vocabulary.ts'
import type { CallProgress } from '../../model/call.ts'

// The course of an operation.
//
// It starts PENDING in the phase BEFORE_RESOURCES and goes through RESOURCES and AFTER_RESOURCES to DONE; a phase is
// never skipped and never entered again. In the first and the third phase plugins are called in the ascending order of
// their authorizations (descending in a DETACH), those of equal order together. A later order is called once every call
// of the earlier orders has succeeded. In RESOURCES the frozen plan is applied to the ledger.
//
// A call succeeds, fails permanently, or is repeated at its own time. While one waits the operation is WAITING. The
// first permanent failure ends it: no later order is called, and once the calls in flight have ended the operation is
// FAILED in its current phase. A person's retry clears the failures and continues from there: successful calls are not
// made again.
//
// nextStep is called only when no call is in flight. It reads no clock; everything that it needs is in its argument.

export interface OperationProgress {
  operationType: OperationType
  phase: Phase
  calls: readonly CallProgress[]
  /** RFC 3339 in UTC with milliseconds, from the clock that set `nextAttemptAt`. */
  now: string
}

export type Step =
  | { kind: 'call'; stage: Stage; pluginIds: string[] }
  | { kind: 'wait'; until: string }
  | { kind: 'apply-resources' }
  | { kind: 'succeed' }
  | { kind: 'fail'; pluginId: string; failure: Failure }

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

/** What the stage still needs, or null if all of its calls succeeded. */
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
  if (failed !== undefined) {
    const { pluginId } = failed
    return { kind: 'fail', pluginId, failure: failed.failure ?? unexplained(pluginId) }
  }

  const together = inCallOrder(open, operationType).filter((call) => call.order === first.order)
  const due = together.filter((call) => call.nextAttemptAt === null || call.nextAttemptAt <= now)
  if (due.length > 0) return { kind: 'call', stage, pluginIds: due.map((call) => call.pluginId) }
  const until = together.flatMap((call) => call.nextAttemptAt ?? []).toSorted()[0] ?? now
  return { kind: 'wait', until }
}

/** Ascending by order, descending in a DETACH; equal orders by plugin id, so that results are deterministic. */
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

/** For a call that failed without a recorded failure. */
export function unexplained(pluginId: string): Failure {
  return {
    errorCode: 'PLUGIN_RESULT_UNKNOWN',
    ...platformMessage('callUnexplained', { plugin: pluginId }),
    retryable: true,
    errorPath: ['bundle-runtime', pluginId],
  }
}
