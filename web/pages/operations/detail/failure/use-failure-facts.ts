import type { Failure, OperationDetail } from '#contract/console-api/shapes.ts'
import type { NextAction } from '#contract/console-api/vocabulary.ts'
import { isFromPlugin, reasonOf } from '#contract/protocol/messages.ts'
import { messageText } from '../../../../i18n/message-text.ts'
import { useText } from '../../../../i18n/use-text.ts'
import { failureTitle, remedyOf } from '../../../../subjects/operations/describe-failure.ts'
import { useAsOf } from '../../../../ui/as-of.ts'
import { effectOf, failedCallOf, type Effect } from '../calls/progress.ts'
import { failurePointOf, type CallTimeline } from '../calls/timeline.ts'
import { findingsOf } from './context-evidence.ts'
import { movedBetween } from './endpoint-change.ts'
import { effectText } from './failure-texts.ts'
import { useOperationContext } from './OperationContext.tsx'
import { answeredOperation, otherIdIn } from './response-differences.ts'
import { useOperationOf } from './WireNotes.tsx'

/** Of which the context says with whom: who made it necessary on purpose, or whose values they are. */
const TOLD_BY_CONTEXT: ReadonlySet<NextAction> = new Set([
  'REGISTER_PLUGIN',
  'CREATE_CREDENTIAL',
  'RESTORE_SERVICE',
  'CHECK_VERSION',
  'CHECK_VALUES',
])

/** What is known of a failure: from the operation, its attempts, its context, and the operation that a response belongs to. */
export function useFailureFacts({
  operation,
  timeline,
  failure,
}: {
  operation: OperationDetail
  timeline: CallTimeline
  failure: Failure
}) {
  const t = useText()
  const title = failureTitle(failure, t)
  const message = messageText(failure)
  const isNotRegistered = reasonOf(failure) === 'pluginNotRegistered'
  const call = failedCallOf(operation, timeline)
  const failurePoint = failurePointOf(timeline, operation)
  const attempt = failurePoint?.bar?.attempt
  const answered = useOperationOf(answeredOperation(attempt?.response))
  const namedOperation = useOperationOf(otherIdIn(failure, operation))
  const { data: context, isLoading: isContextLoading } = useOperationContext(operation)
  // a remedy applies to the live system; a stored document may be out of date
  const isStored = useAsOf() !== null

  // attempts that retention removed could have had an effect, so the rest do not prove that there was none
  const isProven = (effect: Effect) =>
    operation.attemptsRemoved !== true || (effect.kind !== 'none' && effect.kind !== 'rejected')
  const known = call && effectOf(failure, call)
  const findings = findingsOf({
    operation,
    failure,
    context,
    call,
    attempt,
    isReplayed: answered != null,
  })
  const { evidence, isMessageSound, ...rest } = findings

  const plugin = operation.plugins.find(({ pluginId }) => pluginId === call?.pluginId)
  const moved = plugin && attempt ? movedBetween(plugin, operation.createdAt, attempt.startedAt) : null
  // nobody is to begin with a step that the next response replaces
  const isUndecided =
    answered === undefined ||
    (isContextLoading && (isNotRegistered || TOLD_BY_CONTEXT.has(operation.nextStep.action)))
  const isMessageShown = message !== title && isMessageSound && !isUndecided
  return {
    title,
    message,
    shownMessage: isMessageShown && message,
    call,
    attempt,
    failurePoint,
    answered,
    namedOperation: namedOperation?.operationId,
    moved,
    ...evidence,
    ...rest,
    retired: plugin?.retired,
    effect: call && known && isProven(known) && effectText(known, call.pluginId, t),
    isOfPlugin: isFromPlugin(failure) || reasonOf(failure) === 'callReportedFailed',
    isOver: operation.state !== 'FAILED',
    isStored,
    isUndecided,
    remedy: isStored ? null : remedyOf(operation, t, evidence),
  }
}

export type FailureFacts = ReturnType<typeof useFailureFacts>
