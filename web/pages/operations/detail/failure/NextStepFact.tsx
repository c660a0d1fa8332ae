import type { NextStep, OperationDetail } from '#contract/console-api/shapes.ts'
import { labelled } from '../../../../i18n/punctuation.ts'
import { useRichText, useText } from '../../../../i18n/use-text.ts'
import { NextStepText } from '../../../../subjects/operations/NextStepText.tsx'
import { afterwardsText } from '../../../../subjects/operations/operation-texts.ts'
import { OwnerText } from '../../../../subjects/plugins/PluginLink.tsx'
import { SkeletonLines } from '../../../../ui/Skeleton.tsx'
import { Time } from '../../../../ui/Time.tsx'
import { nextText, thenText } from './failure-texts.ts'
import type { FailureFacts } from './use-failure-facts.ts'

/** Who acts next after a failure, and what they do. */
export function NextStepFact({ operation, facts }: { operation: OperationDetail; facts: FailureFacts }) {
  const t = useText()
  const { nextStep } = operation
  const { owner, isStored } = facts
  const afterwards = isStored ? afterwardsText(nextStep, t) : thenText(nextStep, facts, t)
  return (
    <>
      <NextStepText
        nextStep={nextStep}
        what={isStored ? undefined : nextText(nextStep, operation.failure, facts, t)}
      />
      {owner && isForOwner(nextStep, facts) && (
        <>
          {'\u00a0· '}
          {nextStep.actor === 'SUPPORT' && labelled(t, t('operations.failed.owner'), '')}
          <OwnerText owner={owner} />
        </>
      )}
      {afterwards !== null && <span className="block text-muted">{afterwards}</span>}
    </>
  )
}

/** Whether the owner of a plugin can help: not with this platform's settings, nor if the values of several plugins are in doubt. */
const isForOwner = ({ actor, action }: NextStep, { blamed }: FailureFacts): boolean =>
  actor === 'PLUGIN_OWNER' ||
  (actor === 'SUPPORT' && action === 'RETRY') ||
  (action === 'CHECK_VALUES' && blamed !== undefined)

/** Whether there is something to say in {@link Remedy}. */
export const hasRemedy = ({ state }: OperationDetail, facts: FailureFacts): boolean =>
  facts.decision !== null || (state === 'FAILED' && (isRetired(facts) || facts.remedy !== null))

const isRetired = ({ retired, isStored }: FailureFacts): boolean => retired != null && !isStored

/** What to do about a failure; of what a person decided, who did that, when and why. */
export function Remedy({ operation, facts }: { operation: OperationDetail; facts: FailureFacts }) {
  const t = useText()
  const rich = useRichText()
  const { decision, retired, remedy, isUndecided } = facts
  if (operation.state === 'FAILED' && retired != null && isRetired(facts))
    return (
      <>
        {rich('operations.remedy.retired', {
          time: <Time at={retired.at} />,
          person: retired.by.name,
          reason: retired.reason,
        })}{' '}
        {t(
          operation.operationType === 'DETACH'
            ? 'operations.remedy.retired.retry'
            : 'operations.remedy.TAKE_OVER',
        )}
      </>
    )
  if (decision !== null)
    return (
      <>
        {rich(`operations.remedy.${decision.kind}`, {
          time: <Time at={decision.at} />,
          person: decision.by.name,
          reason: decision.reason ?? t('operations.field.noReason'),
        })}
        {facts.mayHaveLeft && ` ${t('operations.remedy.left')}`}
      </>
    )
  return isUndecided ? <SkeletonLines lines={2} /> : remedy
}
