import type { Failure, NextStep, OperationDetail } from '#contract/console-api/shapes.ts'
import type { NextAction } from '#contract/console-api/vocabulary.ts'
import { reasonOf } from '#contract/protocol/messages.ts'
import { formatDuration } from '../../../../i18n/format.ts'
import { joinList } from '../../../../i18n/punctuation.ts'
import type { Translate } from '../../../../i18n/use-text.ts'
import {
  causeToFix,
  checkOf,
  stoppedText,
  stoppedValues,
  type Evidence,
} from '../../../../subjects/operations/describe-failure.ts'
import { afterwardsText } from '../../../../subjects/operations/operation-texts.ts'
import type { Decision } from './context-evidence.ts'
import { actedIn, impactOf, type CallName, type Effect, type Progress } from '../calls/progress.ts'

// The sentences of a failure, for its panel and for a ticket.

/** Whether the installation still runs, and with what. */
export const impactText = (operation: OperationDetail, t: Translate): string =>
  t(`operations.failed.impact.${impactOf(operation)}`, {
    plugins: joinList(t, actedIn(operation)),
    version: operation.currentVersion ?? operation.targetVersion,
    target: operation.targetVersion,
  })

/** That retired plugins, in whose place the platform answered, may have acted in an earlier call; null if none may have. */
export function effectUnknownText({ stages }: OperationDetail, t: Translate): string | null {
  const unknown = stages.flatMap(({ calls }) =>
    calls.flatMap(({ pluginId, effectUnknown }) => (effectUnknown === true ? [pluginId] : [])),
  )
  return unknown.length === 0
    ? null
    : t('operations.detail.effectUnknown', { plugins: joinList(t, [...new Set(unknown)]) })
}

export function effectText(effect: Effect, plugin: string, t: Translate): string {
  switch (effect.kind) {
    case 'earlier':
      return t('operations.failed.effect.earlier', { n: effect.attempts, plugin })
    case 'answered':
      return t('operations.failed.effect.answered', { n: effect.attempts, plugin })
    case 'late':
    case 'unknown':
    case 'invalid':
      return t(`operations.failed.effect.${effect.kind}`, { plugin })
    default:
      return t(`operations.failed.effect.${effect.kind}`)
  }
}

const NEXT_OF = {
  disabled: 'disabled',
  revoked: 'revoked',
  serviceDisabled: 'service',
  serviceNotAllowed: 'scope',
  recalled: 'recalled',
} as const satisfies Record<Decision['kind'], string>

/** What the person who acts next does, where more is known than the action says. */
export function nextText(
  { action }: NextStep,
  failure: Failure | null,
  known: {
    misplaced: Evidence['misplaced']
    endpointChanged: Evidence['endpointChanged']
    hasEarlier: boolean
    isNamed: boolean
    hasWrongClock: boolean
    decision: Decision | null
    blamed: string | undefined
  },
  t: Translate,
): string | undefined {
  const { decision, blamed } = known
  if (decision !== null)
    return t(`operations.failed.next.${NEXT_OF[decision.kind]}`, { person: decision.by.name })
  const cause = causeToFix(action, known)
  if (cause !== null) return t(`operations.failed.next.${cause}`)
  if (blamed !== undefined) return t('operations.failed.next.values', { plugin: blamed })
  const check = action === 'CHECK_PLUGIN' ? checkOf(failure) : null
  if (check !== null) return t(`operations.failed.next.${check}`)
  if (action === 'FIX_AUTHENTICATION' && known.hasWrongClock) return t('operations.failed.next.clock')
  if (action === 'FIX_RESPONSE' && known.misplaced != null)
    return t(`operations.failed.next.${known.misplaced}`)
  // a certificate that is no good names its fault itself
  const mayBeEndpoint =
    BY_ENDPOINT.has(action) ||
    (action === 'FIX_TLS' && failure !== null && reasonOf(failure) === 'callTlsFailed')
  if (known.endpointChanged === 'before' && mayBeEndpoint) return t('operations.failed.next.newEndpoint')
  if (action === 'RETRY' && failure?.retryFrom !== undefined) return t('operations.failed.next.later')
  const definite = failure && BY_REASON.has(action) ? definiteStep(failure) : null
  return definite ? t(`operations.failed.next.${definite}`) : undefined
}

/** What may be due to a wrong endpoint. */
const BY_ENDPOINT: ReadonlySet<NextAction> = new Set([
  'CHECK_PLUGIN',
  'FIX_AUTHENTICATION',
  'FIX_CAUSE',
  'FIX_RESPONSE',
  'RESTORE_PLUGIN',
])

/** The actions of which the reason of a failure may say more. */
const BY_REASON: ReadonlySet<NextAction> = new Set([
  'RESTORE_PLUGIN',
  'FIX_RESPONSE',
  'FIX_AUTHENTICATION',
  'FIX_ENDPOINT',
])

function definiteStep(failure: Failure) {
  switch (reasonOf(failure)) {
    case 'callHostUnknown':
      return 'host'
    case 'callNoRoute':
      return 'noRoute'
    case 'callForeign':
      return 'elsewhere'
    case 'callHttpStatus':
      return failure.parameters?.['status'] === 403 ? 'forbidden' : null
    default:
      return null
  }
}

/** What follows then: a retry, or, if a value of the operation itself is wrong, a takeover. */
export function thenText(
  nextStep: NextStep,
  known: { hasEarlier: boolean; isNamed: boolean },
  t: Translate,
): string | null {
  const { action, afterwards } = nextStep
  return afterwards !== undefined && causeToFix(action, known) === 'named'
    ? t('operations.failed.afterwards.named', { actor: t(`vocabulary.actor.${afterwards.actor}`) })
    : afterwardsText(nextStep, t)
}

export function nowText({ run }: OperationDetail, { attemptsUsed, stopped }: Failure, t: Translate): string {
  if (stopped) return t('operations.failed.now.stoppedBy', stoppedValues(stopped))
  return attemptsUsed === undefined
    ? t('operations.failed.now.stopped')
    : t('operations.failed.now.used', { n: attemptsUsed, run })
}

/** What {@link nowText} says, for a stored receipt: how it was when the receipt was exported. */
export function pastText({ run }: OperationDetail, { attemptsUsed, stopped }: Failure, t: Translate): string {
  if (stopped) return stoppedText(stopped, t)
  return attemptsUsed === undefined
    ? t('operations.receipt.now.stopped')
    : t('operations.receipt.now.used', { n: attemptsUsed, run })
}

/** How many calls are named one by one. */
const NAMED = 2

/** What is done, what is not, what nobody can know, and what was never reached. */
export function runProgressText(
  { operationType }: OperationDetail,
  progress: Progress,
  t: Translate,
): string {
  const { resources, notReached } = progress
  const names = (calls: readonly CallName[]) =>
    calls.map(({ pluginId, stage }) =>
      t('operations.failed.progress.call', { plugin: pluginId, stage: t(`vocabulary.phase.${stage}`) }),
    )
  const calls =
    progress.done.length + progress.failed.length + progress.unknown.length + progress.notReached.length
  const done =
    progress.done.length > NAMED
      ? [t('operations.failed.progress.count', { done: progress.done.length, n: calls })]
      : names(progress.done)
  if (resources !== null)
    done.push(
      t(
        operationType === 'DETACH'
          ? 'operations.failed.progress.removed'
          : 'operations.failed.progress.applied',
        { n: resources },
      ),
    )
  const failed = names(progress.failed)
  const unknown = names(progress.unknown)
  const parts = [
    done.length > 0 && t('operations.failed.progress.done', { parts: joinList(t, done) }),
    failed.length > 0 && t('operations.failed.progress.failed', { parts: joinList(t, failed) }),
    unknown.length > 0 && t('operations.failed.progress.unknown', { parts: joinList(t, unknown) }),
    resources === null && t('operations.failed.progress.notApplied'),
    notReached.length > 0 && t('operations.failed.progress.notReached', { n: notReached.length }),
  ]
  return parts.filter(Boolean).join(t('common.punctuation.semicolon'))
}

/** How far the clock of the plugin's host differs; null if it does not. */
export function clockText(behindSeconds: number | undefined, t: Translate): string | null {
  if (behindSeconds === undefined) return null
  const time = formatDuration(Math.abs(behindSeconds) * 1000, t)
  return t(behindSeconds > 0 ? 'operations.wire.clock.behind' : 'operations.wire.clock.ahead', { time })
}
