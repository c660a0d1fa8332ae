import type { UseQueryResult } from '@tanstack/react-query'
import type {
  ChangeEntry,
  ChangePlan,
  ChangeRequestDetail,
  PropertyView,
} from '#contract/console-api/shapes.ts'
import { useErrorView } from '../../i18n/describe-code.ts'
import { joinClauses, labelled } from '../../i18n/punctuation.ts'
import { useText } from '../../i18n/use-text.ts'
import { BatchValues } from '../../subjects/batch/BatchValues.tsx'
import { wavesText } from '../../subjects/batch/typed-waves.ts'
import { withoutReview } from '../../subjects/change-requests/use-request-review.ts'
import { useInstallationTitles } from '../../subjects/manifest/use-installation-titles.ts'
import type { Titles } from '../../subjects/manifest/use-titles.ts'
import { ChangeList } from '../../subjects/plan/ChangeList.tsx'
import { OperationPlanView } from '../../subjects/plan/OperationPlanView.tsx'
import { PlanNotices } from '../../subjects/plan/PlanNotices.tsx'
import { PlannedCalls } from '../../subjects/plan/PlannedCalls.tsx'
import { PlanProblemText } from '../../subjects/plan/PlanProblemText.tsx'
import { ScopeText } from '../../subjects/scopes/ScopeText.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card, Section } from '../../ui/Card.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { useFirstItems } from '../../ui/FirstItems.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { SkeletonLines } from '../../ui/Skeleton.tsx'
import { isLive, undoneOf, type Counted } from '../../subjects/change-requests/change-looks.ts'

/** Whether it lacks no approval, so that it is applied unless it would be refused. */
export const isReady = ({ state, approvalsNeeded }: ChangeRequestDetail): boolean =>
  state === 'APPROVED' || state === 'SCHEDULED' || (state === 'OPEN' && approvalsNeeded === 0)

/** Why the request as a whole would be refused now, apart from approvals that it lacks. */
export const refusals = (plan: ChangePlan | undefined): ChangePlan['problems'] =>
  withoutReview(plan?.problems ?? [])

/** Whether nothing of it can start now: a batch has its problems by target. */
export const wouldBeRefused = (plan: ChangePlan | undefined): boolean =>
  refusals(plan).length > 0 || isNothingReady(plan)

/** Whether each target of its batch would be refused now. */
export const isNothingReady = (plan: ChangePlan | undefined): boolean => {
  const items = plan?.batch?.items ?? []
  return items.length > 0 && items.every(({ problems }) => withoutReview(problems).length > 0)
}

/** When the freezes are over that refuse it now; null without one, or if the end of one is not known. */
export function frozenUntil(plan: ChangePlan | undefined): string | null {
  const problems = [...(plan?.problems ?? []), ...(plan?.batch?.items ?? []).flatMap((item) => item.problems)]
  const ends = problems.flatMap(({ errorCode, parameters }) =>
    errorCode === 'CHANGES_FROZEN' ? [parameters?.['until']] : [],
  )
  // RFC 3339 in UTC: the last one in the order of texts is the latest
  return ends.every((end) => typeof end === 'string') ? (ends.toSorted().at(-1) ?? null) : null
}

/** Whether nothing but freezes refuses it now, and they are over when its schedule begins. */
export function isFrozenOnlyBefore(notBefore: string, plan: ChangePlan | undefined): boolean {
  const until = frozenUntil(plan)
  const isOnlyFrozen = refusals(plan).every(({ errorCode }) => errorCode === 'CHANGES_FROZEN')
  return isOnlyFrozen && !isNothingReady(plan) && until !== null && until <= notBefore
}

/** Nothing but another target, or none, helps. */
const GONE: ReadonlySet<string> = new Set([
  'NOT_FOUND',
  'INSTALLATION_NOT_ACTIVE',
  'RESOURCE_OWNERSHIP_MISSING',
])

/** What the request would do now, as the review of an ordinary change shows it; of one that has ended, what it asked for. */
export function PlannedChange({
  request,
  plan,
  titles,
  onComment,
}: {
  request: ChangeRequestDetail & Counted
  plan: UseQueryResult<ChangePlan>
  titles: Titles
  /** Null if the person may not comment. */
  onComment: ((target: ChangeEntry['target']) => void) | null
}) {
  const t = useText()
  const error = useErrorView(plan.error)
  if (!isLive(request)) return <AskedFor request={request} titles={titles} />
  return (
    <Section title={t('changes.section.plan')} flush>
      {plan.data === undefined ? (
        error === null ? (
          <SkeletonLines lines={6} />
        ) : (
          <ErrorState error={error} onRetry={() => void plan.refetch()} retrying={plan.isFetching} />
        )
      ) : (
        <div className="space-y-4" aria-busy={plan.isFetching}>
          {/* of one that is ready, the notice of its state has them */}
          {!isReady(request) && refusals(plan.data).length > 0 && (
            <Notice tone="warn" live title={t('changes.plan.problems')}>
              <Problems plan={plan.data} titles={titles} />
            </Notice>
          )}
          <Shown plan={plan.data} limits={request.input} titles={titles} onComment={onComment} />
        </div>
      )}
    </Section>
  )
}

function Shown({
  plan,
  limits,
  titles,
  onComment,
}: {
  plan: ChangePlan
  limits: ChangeRequestDetail['input']
  titles: Titles
  /** Null if the person may not comment. */
  onComment: ((target: ChangeEntry['target']) => void) | null
}) {
  const t = useText()
  const commentOn = (locator: string | null, property: string) =>
    locator !== null &&
    onComment !== null && (
      <Button
        size="sm"
        variant="quiet"
        icon="comment"
        label={t('changes.comment.line', { property: titles.titleOf(locator, property) ?? property })}
        onClick={() => onComment({ locator, property })}
      />
    )
  const { operation, configuration, batch } = plan
  if (
    operation === undefined
      ? configuration === undefined && batch === undefined
      : operation.planToken === null
  )
    return <p className="text-muted">{t('changes.plan.none')}</p>
  if (operation !== undefined) {
    const shown = { ...operation, problems: [] }
    return (
      <OperationPlanView state={{ plan: shown, error: null, isChecking: false, refetch: () => undefined }} />
    )
  }
  return (
    <>
      <PlanNotices plan={batch ?? configuration} />
      {plan.configuration !== undefined &&
        (plan.configuration.changes.length === 0 ? (
          <p className="text-muted">{t('changes.plan.nothing')}</p>
        ) : (
          <>
            <ChangeList
              changes={plan.configuration.changes}
              label={t('changes.plan.changes')}
              titles={titles}
              actionOn={({ locator, property }) => commentOn(locator, property)}
            />
            {plan.configuration.installations.map((planned) => (
              <InstallationCalls key={planned.installation.bundleInstallId} {...planned} />
            ))}
          </>
        ))}
      {plan.batch !== undefined && <PlannedBatch batch={plan.batch} limits={limits} titles={titles} />}
    </>
  )
}

function InstallationCalls({
  installation,
  stages,
}: NonNullable<ChangePlan['configuration']>['installations'][number]) {
  const t = useText()
  const { environmentKey, applicationRuntimeId, workspaceId } = installation
  const titles = useInstallationTitles({ environmentKey, applicationRuntimeId, workspaceId })
  const bundle = titles.get(installation.bundleInstallId)?.title ?? installation.bundle.bundleId
  return (
    <div>
      <p className="mb-1 font-medium">
        {t('configuration.plan.runs', { type: t('vocabulary.type.CONFIGURE'), bundle })}
      </p>
      <PlannedCalls stages={stages} />
    </div>
  )
}

function PlannedBatch({
  batch: { items },
  limits,
  titles,
}: {
  batch: NonNullable<ChangePlan['batch']>
  limits: ChangeRequestDetail['input']
  titles: Titles
}) {
  const t = useText()
  const refused = items.filter(({ problems }) => withoutReview(problems).length > 0)
  const { shown, more } = useFirstItems(items, 200)
  return (
    <>
      <p>
        {t('changes.batch.targets', { n: items.length })}
        {refused.length > 0 && (
          <span className="ml-2 text-doubt">{t('changes.batch.problems', { n: refused.length })}</span>
        )}
      </p>
      <BatchPace limits={limits} />
      <Card padded={false}>
        <ul className="divide-y divide-line">
          {shown.map(({ target, scope, title, bundle, wave, values, problems }) => (
            <li key={target} className="space-y-1 px-4 py-2">
              <p className="flex flex-wrap items-baseline gap-x-3">
                <span className="font-medium">{title ?? bundle.bundleId}</span>
                <ScopeText scope={scope} />
                {wave !== undefined && (
                  <span className="text-muted">{t('batches.wave', { number: wave })}</span>
                )}
              </p>
              {withoutReview(problems).map((problem) => (
                <p key={`${problem.locator} ${problem.property} ${problem.message}`} className="text-doubt">
                  <Problem problem={problem} titles={titles} />
                </p>
              ))}
              {values.length > 0 && (
                <ChangeList changes={values} label={t('changes.plan.changes')} titles={titles} />
              )}
            </li>
          ))}
        </ul>
        {more}
      </Card>
    </>
  )
}

/** Why the request as a whole would be refused now. */
export function Problems({ plan, titles }: { plan: ChangePlan | undefined; titles: Titles }) {
  const t = useText()
  // each target says why
  if (isNothingReady(plan)) return <p className="mt-1">{t('batches.make.nothing')}</p>
  return (
    <ul className="mt-1 space-y-0.5">
      {refusals(plan).map((problem) => (
        <li key={`${problem.locator} ${problem.property} ${problem.message}`}>
          <Problem problem={problem} titles={titles} />
        </li>
      ))}
      {plan?.effect === null && (
        <li>
          {t(
            refusals(plan).some(({ errorCode }) => GONE.has(errorCode))
              ? 'changes.plan.gone'
              : 'changes.plan.unplanned',
          )}
        </li>
      )}
    </ul>
  )
}

function Problem({ problem, titles }: { problem: ChangePlan['problems'][number]; titles: Titles }) {
  const { locator = null, property } = problem
  return <PlanProblemText problem={problem} title={titles.titleOf(locator, property)} />
}

/** How carefully a batch is carried out: its limits, and its waves with their conditions. Nothing, without any. */
export function BatchPace({
  limits: { first, concurrency, stopAfterFailures, waves },
}: {
  limits: ChangeRequestDetail['input']
}) {
  const t = useText()
  const pace = joinClauses(t, [
    first !== undefined && labelled(t, t('batches.fact.first'), String(first)),
    concurrency !== undefined && labelled(t, t('batches.fact.concurrency'), String(concurrency)),
    stopAfterFailures !== undefined && labelled(t, t('batches.fact.failures'), String(stopAfterFailures)),
  ])
  return (
    <>
      {pace !== '' && <p>{pace}</p>}
      {waves !== undefined && <p>{labelled(t, t('batches.waves'), wavesText(waves, t))}</p>}
    </>
  )
}

function AskedFor({ request, titles }: { request: ChangeRequestDetail & Counted; titles: Titles }) {
  const t = useText()
  const { state, input } = request
  const given: Record<string, Record<string, PropertyView | null>> = input.changes ?? input.properties ?? {}
  const changes = Object.entries(given).flatMap(([locator, properties]) =>
    Object.entries(properties).map(([property, after]) => ({ locator, property, before: null, after })),
  )
  const ofBatch = input.batch?.properties ?? []
  if (changes.length === 0 && input.batch === undefined) return null
  const hasHidden = [...changes, ...ofBatch].some(({ after }) => after !== null && 'isSensitive' in after)
  const title = t(
    state === 'APPLYING' || (state === 'APPLIED' && undoneOf(request) !== 'none')
      ? 'changes.section.input.applied'
      : 'changes.section.input',
  )
  return (
    <Section title={title} description={hasHidden && t('changes.input.discarded')} flush>
      {changes.length > 0 && <ChangeList changes={changes} label={title} titles={titles} isOnlyAfter />}
      {input.batch !== undefined && (
        <div className="space-y-2">
          {input.targets !== undefined && <p>{t('changes.batch.targets', { n: input.targets.length })}</p>}
          <BatchPace limits={input} />
          {ofBatch.length > 0 && <BatchValues properties={ofBatch} />}
        </div>
      )}
    </Section>
  )
}
