import { useEffect, useState } from 'react'
import { ApiError } from '../../../api/client.ts'
import { MovedList } from '../../../forms/form/FormError.tsx'
import { useErrorView } from '../../../i18n/describe-code.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { ErrorState } from '../../../ui/ErrorState.tsx'
import { Field } from '../../../ui/Field.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { TextArea } from '../../../ui/TextInput.tsx'
import { ReviewNotice } from '../../../subjects/change-requests/ReviewNotice.tsx'
import { needsReview, withoutReview } from '../../../subjects/change-requests/use-request-review.ts'
import { isOfGate } from '../../../subjects/gate/use-gate.tsx'
import { PlanNotices } from '../../../subjects/plan/PlanNotices.tsx'
import { needsSignIn, SignInAgain } from '../../../subjects/sign-in/SignInAgain.tsx'
import { useEditor } from '../editor/editor-context.ts'
import { propertyTitle, resourceTitle } from '../../../forms/property/property-labels.ts'
import { uncertainTexts } from '../editor/use-save.ts'
import { definitionOf } from '../draft/outline.ts'
import { LeftOut } from './LeftOut.tsx'
import { changesByInstallation, type PlanState } from './planned.ts'
import { PlannedInstallation } from './PlannedInstallation.tsx'
import type { ReviewProps } from './review-props.ts'

/** The page has its own notice for an ended session; an error here would outlast it. */
const isSignedOut = (error: unknown): boolean =>
  error instanceof ApiError && error.problem.code === 'AUTHENTICATION_REQUIRED'

export type Planned = ReviewProps & {
  plan: PlanState
  reason: string
  /** The installations whose changes stay in the draft. */
  excluded: ReadonlySet<string>
}

/** What a save would do: its changes, the installations, the plugin calls in order, and the errors that prevent it. */
export function PlanStep({
  plan,
  problems,
  save,
  draft,
  arrival,
  offers,
  onClose,
  reason,
  onReason,
  excluded,
  onExclude,
  gate,
}: Planned & {
  onReason: (reason: string) => void
  onExclude: (bundleInstallId: string, isExcluded: boolean) => void
}) {
  const t = useText()
  const { configuration, edited } = useEditor()
  const error = useErrorView(isSignedOut(save.error) ? null : save.error)
  const planError = useErrorView(plan.error)
  const isGuarded = needsReview(plan.data?.problems)
  const isProposed = (isGuarded || edited !== null) && !gate.isOverriding
  const planned = plan.data && { ...plan.data, problems: withoutReview(plan.data.problems) }
  const { groups, others } = changesByInstallation(planned, { configuration, draft, offers, isProposed })
  const isSlow = useIsSlow(plan.isFetching) && planError === null
  const isUncertain = save.state === 'uncertain'
  const uncertain = uncertainTexts(save.error, t)

  return (
    <div className="space-y-5">
      {isUncertain && (
        <Notice tone="warn" icon="unknown" live title={uncertain.title}>
          {uncertain.message}
        </Notice>
      )}
      {error !== null && !isUncertain && save.state === 'idle' && (
        <>
          <ErrorState
            error={error}
            // the draft is stored
            actions={needsSignIn(error.code) && <SignInAgain keep={() => true} />}
          />
          <MovedList error={save.error} />
        </>
      )}
      {isGuarded && edited === null && !gate.saysReview && <ReviewNotice />}
      {problems.length > 0 && <InvalidEdits problems={problems} onClose={onClose} />}
      {planError !== null && plan.data === undefined && (
        <ErrorState error={planError} onRetry={() => void plan.refetch()} retrying={plan.isFetching} />
      )}
      {gate.choice}
      {others
        .filter((problem) => gate.choice === null || !isOfGate(problem))
        .map((problem) => (
          <Notice key={`${problem.locator} ${problem.message}`} tone="error">
            {problem.message}
          </Notice>
        ))}
      <PlanNotices plan={plan.data} />
      {isSlow && <SlowPlan onRestart={plan.restart} />}
      {arrival !== null && <LeftOut arrival={arrival} offers={offers} draft={draft} />}
      {groups.map((group) => (
        <PlannedInstallation
          key={group.bundleInstallId}
          group={group}
          offers={offers}
          draft={draft}
          problems={problems}
          isExcluded={excluded.has(group.bundleInstallId) || group.claim !== null}
          onExclude={(isExcluded) => onExclude(group.bundleInstallId, isExcluded)}
          // what is left out of a request that others wrote too would be lost to them
          isWhole={groups.length === 1 || edited !== null}
        />
      ))}
      {plan.data !== undefined && groups.length === 0 && problems.length === 0 && others.length === 0 && (
        <p className="flex items-center gap-2 text-muted">
          <Icon name="nothing" size={14} />
          {t('configuration.review.nothing')}
        </p>
      )}
      <Field
        label={t('configuration.review.reason')}
        need={gate.isOverriding ? 'required' : 'optional'}
        help={t('configuration.review.reason.help')}
      >
        {(wiring) => (
          <TextArea
            {...wiring}
            rows={2}
            value={reason}
            maxLength={1000}
            readOnly={save.state !== 'idle'}
            onChange={(event) => onReason(event.target.value)}
          />
        )}
      </Field>
    </div>
  )
}

/** The edits that are not valid; each leads to its field. */
function InvalidEdits({ problems, onClose }: Pick<ReviewProps, 'problems' | 'onClose'>) {
  const t = useText()
  const { configuration, goTo } = useEditor()
  return (
    <Notice tone="error" title={t('configuration.review.invalid', { n: problems.length })}>
      <ul className="mt-1 space-y-0.5">
        {problems.map(({ locator, property, message }) => {
          const resource = configuration.resources[locator]
          return (
            <li key={`${locator} ${property}`} className="flex flex-wrap items-baseline gap-x-2">
              <button
                type="button"
                className="min-h-6 rounded-sm font-medium text-accent hover:underline"
                onClick={() => {
                  onClose()
                  goTo(locator, property)
                }}
              >
                {resourceTitle(resource, locator)} ·{' '}
                {propertyTitle(definitionOf(resource, property), property)}
              </button>
              <span className="whitespace-pre-line">{message}</span>
            </li>
          )
        })}
      </ul>
    </Notice>
  )
}

function SlowPlan({ onRestart }: { onRestart: () => void }) {
  const t = useText()
  return (
    <Notice
      tone="warn"
      icon="offline"
      live
      title={t('configuration.lost.title')}
      actions={
        <Button size="sm" icon="retry" onClick={() => onRestart()}>
          {t('configuration.lost.again')}
        </Button>
      }
    >
      {t('configuration.lost.message')}
    </Notice>
  )
}

const SLOW_MS = 4_000

/** Whether something has been going on for longer than a person waits without a word. */
function useIsSlow(isBusy: boolean): boolean {
  const [isSlow, setIsSlow] = useState(false)
  if (!isBusy && isSlow) setIsSlow(false)
  useEffect(() => {
    if (!isBusy) return
    const timer = setTimeout(() => setIsSlow(true), SLOW_MS)
    return () => clearTimeout(timer)
  }, [isBusy])
  return isSlow
}
