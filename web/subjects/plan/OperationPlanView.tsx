import type { ReactNode } from 'react'
import type { OperationPlan, PlanProblem } from '#contract/console-api/shapes.ts'
import { parseLocator } from '#contract/protocol/locator.ts'
import { isDowngrade } from '#contract/protocol/version-order.ts'
import { useText } from '../../i18n/use-text.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { SkeletonLines } from '../../ui/Skeleton.tsx'
import { ChangeList } from './ChangeList.tsx'
import { useErrorView } from '../../i18n/describe-code.ts'
import { useTitles } from '../manifest/use-titles.ts'
import { BrokenReferences } from '../references/BrokenReferences.tsx'
import { ReviewNotice } from '../change-requests/ReviewNotice.tsx'
import { withoutReview } from '../change-requests/use-request-review.ts'
import { isOfGate } from '../gate/use-gate.tsx'
import { PlannedCalls } from './PlannedCalls.tsx'
import { PlanNotices } from './PlanNotices.tsx'
import { PlanProblemText } from './PlanProblemText.tsx'
import type { OperationPlanState } from './use-operation-plan.ts'

/**
 * What an operation will do: changed values, plugin calls in order, and what would refuse it.
 *
 * @param isAtField Whether a form shows this problem at one of its fields.
 * @param isRequested Whether a policy requires a change request for it, which nothing else says.
 */
export function OperationPlanView({
  state,
  isAtField,
  isRequested = false,
  calls,
}: {
  state: Omit<OperationPlanState<never>, 'send'>
  isAtField?: (problem: PlanProblem) => boolean
  isRequested?: boolean
  /** Shows the calls in another way than by stage. */
  calls?: (plan: OperationPlan) => ReactNode
}) {
  const t = useText()
  const error = useErrorView(state.error)
  const { plan } = state
  if (plan === undefined)
    return error === null ? (
      <SkeletonLines lines={4} />
    ) : (
      <ErrorState error={error} onRetry={state.refetch} retrying={state.isChecking} />
    )
  // what refuses any change now is shown above, with the choice to override it
  const problems = withoutReview(plan.problems).filter(
    (problem) => isAtField?.(problem) !== true && !isOfGate(problem),
  )
  return (
    <div className="space-y-3" aria-busy={state.isChecking}>
      {isRequested && <ReviewNotice />}
      {problems.length > 0 && (
        <Notice tone="warn" live title={t('plans.problems')}>
          <ul className="space-y-0.5">
            {problems.map((problem) => (
              <li key={`${problem.locator} ${problem.property} ${problem.message}`}>
                <PlanProblemText problem={problem} />
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <PlanNotices plan={plan} />
      {/* what cannot be planned would do nothing */}
      {plan.planToken !== null && <Planned plan={plan} calls={calls} />}
    </div>
  )
}

function Planned({
  plan,
  calls,
}: {
  plan: OperationPlan
  calls: ((plan: OperationPlan) => ReactNode) | undefined
}) {
  const t = useText()
  const isDetach = plan.operationType === 'DETACH'
  return (
    <>
      {plan.operationType === 'UPGRADE' && isDowngrade(plan.currentVersion, plan.targetVersion) && (
        <Notice tone="warn">
          {t('plans.downgrade', { from: plan.currentVersion ?? '', to: plan.targetVersion ?? '' })}
        </Notice>
      )}
      {calls ? calls(plan) : <PlannedCalls stages={plan.stages} isDetach={isDetach} />}
      {isDetach && plan.installation !== null && (
        <BrokenReferences bundleInstallId={plan.installation.bundleInstallId} />
      )}
      {!isDetach && <PlannedChanges plan={plan} />}
    </>
  )
}

function PlannedChanges({ plan }: { plan: OperationPlan }) {
  const t = useText()
  const { resources, changes } = plan
  // all of them are resources of the one bundle
  const bundle = parseLocator(resources[0]?.locator ?? '') ?? undefined
  const titles = useTitles(changes, bundle, plan)
  if (changes.length === 0) return <p className="text-muted">{t('plans.changes.none')}</p>
  return (
    // open if a value goes that nobody has changed
    <details open={changes.some(({ isPutAside }) => isPutAside)} className="group/changes">
      <summary className="flex min-h-8 w-fit items-center gap-1.5 rounded-md text-muted hover:text-ink">
        <Icon name="chevronRight" size={14} className="group-open/changes:rotate-90" />
        {t('plans.changes', { n: changes.length })}
      </summary>
      <div className="mt-1">
        <ChangeList changes={changes} label={t('plans.changes.label')} titles={titles} />
      </div>
    </details>
  )
}
