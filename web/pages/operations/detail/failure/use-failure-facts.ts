import type { Failure, OperationDetail } from '#contract/console-api/shapes.ts'
import type { NextAction } from '#contract/console-api/vocabulary.ts'
import { isFromPlugin, reasonOf } from '#contract/protocol/messages.ts'
import { messageText } from '../../../../i18n/message-text.ts'
import { useText } from '../../../../i18n/use-text.ts'
import { failureTitle, remedyOf } from '../../../../subjects/operations/describe-failure.ts'
import { useAsOf } from '../../../../ui/as-of.ts'
import { effectOf, failedCallOf, type Effect } from '../calls/progress.ts'
import { failurePointOf, type CallTimeline } from '../calls/timeline.ts'
import { decisionBehind, hasNewEndpoint, loweredLimit } from './context-evidence.ts'
import { endpointChange, movedBetween } from './endpoint-change.ts'
import { effectText } from './failure-texts.ts'
import { useOperationContext } from './OperationContext.tsx'
import { differencesIn } from './response-differences.ts'
import { useAnswered } from './WireNotes.tsx'

/** What somebody may have made necessary on purpose. */
const MAY_BE_DECIDED: ReadonlySet<NextAction> = new Set([
  'REGISTER_PLUGIN',
  'CREATE_CREDENTIAL',
  'RESTORE_SERVICE',
  'CHECK_VERSION',
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
  const answered = useAnswered(attempt)
  const { data: context, isLoading: isContextLoading } = useOperationContext(operation)
  // a remedy applies to the live system; a stored document may be out of date
  const isStored = useAsOf() !== null

  // attempts that retention removed could have had an effect, so the rest do not prove that there was none
  const isProven = (effect: Effect) =>
    operation.attemptsRemoved !== true || (effect.kind !== 'none' && effect.kind !== 'rejected')
  const known = call && effectOf(failure, call)
  const hasEarlier = known?.kind === 'earlier'

  const plugin = operation.plugins.find(({ pluginId }) => pluginId === call?.pluginId)
  const moved = plugin && attempt ? movedBetween(plugin, operation.createdAt, attempt.startedAt) : null
  const endpointChanged = () => {
    if (plugin === undefined) return null
    if (attempt && endpointChange(plugin, attempt.startedAt) !== null) return 'after'
    if (moved !== null) return 'during'
    return hasNewEndpoint(context, plugin.pluginId, operation.finishedAt) ? 'before' : null
  }
  const decision = decisionBehind(context, operation, call?.pluginId)

  const isReplayed = answered != null
  const isElsewhere = differencesIn(attempt?.response).some(({ field }) => field === 'pluginId')
  // nobody is to begin with a step that the next response replaces
  const isUndecided =
    answered === undefined ||
    (isContextLoading && (isNotRegistered || MAY_BE_DECIDED.has(operation.nextStep.action)))
  const isEnabledAgain = isNotRegistered && operation.nextStep.action === 'RETRY'
  // that of the platform advises to enable a plugin that a person has disabled; that of a response to another operation
  // blames the plugin
  const isMessageShown =
    message !== title &&
    !(isNotRegistered && decision !== null) &&
    !isReplayed &&
    !isUndecided &&
    !isEnabledAgain
  return {
    title,
    message,
    shownMessage: isMessageShown && message,
    call,
    attempt,
    failurePoint,
    answered,
    moved,
    /** What a person decided, if that is why it failed or cannot be retried. */
    decision,
    owner: plugin?.owner,
    retired: plugin?.retired,
    effect: call && known && isProven(known) && effectText(known, call.pluginId, t),
    hasEarlier,
    isReplayed,
    isElsewhere,
    isOfPlugin: isFromPlugin(failure) || reasonOf(failure) === 'callReportedFailed',
    isOver: operation.state !== 'FAILED',
    isStored,
    isUndecided,
    remedy: isStored
      ? null
      : remedyOf(operation, t, {
          isReplayed,
          isElsewhere,
          endpointChanged: endpointChanged(),
          hasWrongClock: attempt?.wire?.clockBehindSeconds !== undefined,
          lowered: call === null ? null : loweredLimit(context, call.pluginId, operation.finishedAt),
          hasEarlier,
        }),
  }
}

export type FailureFacts = ReturnType<typeof useFailureFacts>
