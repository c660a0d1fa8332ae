import { isFromPlugin } from '#contract/protocol/messages.ts'
import type { Cause, CauseName, SolvedBy } from '#contract/console-api/shapes.ts'
import type { CauseState } from '#contract/console-api/vocabulary.ts'
import { joinClauses } from '../../i18n/punctuation.ts'
import type { PlainTextKey, Translate } from '../../i18n/use-text.ts'
import type { IconName } from '../../ui/Icon.tsx'
import type { Tone } from '../../ui/tone.ts'
import { bundleNameOf } from '../operations/operation-texts.ts'
import { failureTitle } from '../operations/describe-failure.ts'

export const causeLook: Record<CauseState, { tone: Tone; icon: IconName; word: PlainTextKey }> = {
  NEW: { tone: 'fail', icon: 'failed', word: 'operations.cause.state.NEW' },
  TAKEN: { tone: 'live', icon: 'person', word: 'operations.cause.state.TAKEN' },
  WAITING: { tone: 'doubt', icon: 'waiting', word: 'operations.cause.state.WAITING' },
  SOLVED: { tone: 'ok', icon: 'done', word: 'operations.cause.state.SOLVED' },
}

/** What failed in all operations of a cause. Of a plugin's messages that differ, it is what they have in common. */
export function causeTitle({ title, latest }: Cause, t: Translate): string {
  const failure = latest?.failure ?? null
  return failure === null || isFromPlugin(failure) ? title : failureTitle(failure, t)
}

/** What a cause is called where the reader may not know its messages. */
export const causeName = ({ errorCode, pluginId }: CauseName, t: Translate): string =>
  pluginId === null ? errorCode : t('operations.cause.name', { code: errorCode, plugin: pluginId })

/** How many operations are failed now, and of which bundles. */
export function operationsText({ count, bundles, latest }: Cause, t: Translate): string {
  if (latest === null) return t('operations.cause.none')
  return bundles === 1
    ? t('operations.causes.operationsOf', { n: count, bundle: bundleNameOf(latest) })
    : t('operations.cause.operationsIn', { n: count, bundles })
}

/** The same, and in how many scopes. */
export const affectedText = (cause: Cause, t: Translate): string =>
  joinClauses(t, [
    operationsText(cause, t),
    cause.latest !== null && t('operations.causes.scopes', { n: cause.scopes }),
  ])

/** Who works on it, or what it waits for; null if nobody does. */
export function workText({ state, assignee, waitingFor }: Cause, t: Translate): string | null {
  if (state === 'WAITING' && waitingFor !== null)
    return t('operations.cause.waitingFor', { whom: waitingFor })
  return assignee === null ? null : assignee.name
}

/** What solved it, without the time. */
export function solutionText({ by, reason, operationId }: SolvedBy, t: Translate): string {
  if (by === null) return t('operations.cause.solvedElsewhere')
  return t(operationId === null ? 'operations.cause.solvedSaid' : 'operations.cause.solvedRetry', {
    person: by.name,
    reason: reason ?? t('operations.field.noReason'),
  })
}
