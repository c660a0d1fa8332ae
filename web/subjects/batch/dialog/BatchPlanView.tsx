import type { UseQueryResult } from '@tanstack/react-query'
import type { Batch, BatchPlan } from '#contract/console-api/shapes.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { deepEqual } from '#contract/json-schema/json.ts'
import { isDowngrade } from '#contract/protocol/version-order.ts'
import { joinClauses, joinList, joinSentences } from '../../../i18n/punctuation.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { cx } from '../../../ui/class-names.ts'
import { ErrorState } from '../../../ui/ErrorState.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { SkeletonLines } from '../../../ui/Skeleton.tsx'
import { ChangedValue } from '../../../ui/value/BeforeAfter.tsx'
import { failureCodeTitle, useErrorView } from '../../../i18n/describe-code.ts'
import { withoutReview } from '../../change-requests/use-request-review.ts'
import { propertyTitle, placeNamer } from '../../../forms/property/property-labels.ts'
import { PlanNotices } from '../../plan/PlanNotices.tsx'
import { PlanProblemText } from '../../plan/PlanProblemText.tsx'
import { ScopeText } from '../../scopes/ScopeText.tsx'
import { PlannedUpgrade } from './PlannedUpgrade.tsx'

type Item = BatchPlan['items'][number]

/** What a batch will do to each target. What is refused comes first, with the reasons. */
export function BatchPlanView({
  action,
  query,
  isRequested,
  definitionOf,
  isTouched,
  earlier,
  targetVersion,
}: {
  action: Batch['action']
  query: UseQueryResult<BatchPlan>
  /** A change request is made of it, so nothing starts yet. */
  isRequested: boolean
  definitionOf: DefinitionOf
  /** It is of something that the person has entered. Until then, a missing value is what to enter and not a mistake. */
  isTouched: boolean
  /** The plan of the same request that was refused, because these targets have changed since. */
  earlier: MovedPlan | undefined
  /** Of an UPGRADE. */
  targetVersion: string | undefined
}) {
  const t = useText()
  const view = useErrorView(query.error)
  const { data, isFetching: isChecking } = query
  if (data === undefined && view !== null)
    return <ErrorState error={view} retrying={isChecking} onRetry={() => void query.refetch()} />
  const plan = isRequested ? data && asRequested(data) : data
  // it is of what was entered before
  const isStale = query.isPlaceholderData
  const hasProblems = plan?.items.filter(({ problems }) => problems.length > 0) ?? []
  const waiting = hasProblems.filter(({ problems }) => !isTouched && problems.every(isMissing))
  const refused = hasProblems.filter((item) => !waiting.includes(item))
  const allReady = plan?.items.filter(({ problems }) => problems.length === 0) ?? []
  // what is new to the person comes first
  const isMoved = ({ target }: Item) => earlier?.targets.has(target) === true
  const ready = [...allReady.filter(isMoved), ...allReady.filter((item) => !isMoved(item))].toSorted(
    (one, other) => (one.wave ?? 0) - (other.wave ?? 0),
  )
  const waves = Map.groupBy(
    (plan?.items ?? []).filter(({ wave }) => wave !== undefined),
    ({ wave = 0 }) => wave,
  )
  return (
    <section aria-label={t('batches.make.plan')} aria-busy={isChecking}>
      <h3 className="mb-1 flex flex-wrap items-baseline gap-x-3">
        <span className="font-semibold">{t('batches.make.plan')}</span>
        <span role="status" className="text-muted">
          {plan === undefined || isStale
            ? t('batches.make.checking')
            : joinClauses(t, [
                (ready.length > 0 || waiting.length === 0) &&
                  t(isRequested ? 'batches.make.requested' : 'batches.make.ready', { n: ready.length }),
                waiting.length > 0 && t('batches.make.waiting', { n: waiting.length }),
                refused.length > 0 && t('batches.make.refused', { n: refused.length }),
              ])}
        </span>
      </h3>
      {waves.size > 0 && (
        <ol aria-label={t('batches.waves')} className="mb-1 flex flex-wrap gap-x-4 text-xs text-muted">
          {[...waves]
            .toSorted(([one], [other]) => one - other)
            .map(([wave, { length }]) => (
              <li key={wave}>{t('batches.make.waves.planned', { number: wave, n: length })}</li>
            ))}
        </ol>
      )}
      <PlanNotices plan={plan} />
      {plan === undefined ? (
        <SkeletonLines lines={3} />
      ) : (
        <ul
          className={cx(
            'max-h-80 divide-y divide-line overflow-y-auto rounded-lg border border-line transition-opacity',
            isStale && 'opacity-55',
          )}
        >
          {[...refused, ...waiting, ...ready].map((item) => (
            <PlannedItem
              key={item.target}
              action={action}
              item={item}
              definitionOf={definitionOf}
              targetVersion={targetVersion}
              isWaiting={waiting.includes(item)}
              earlier={
                isMoved(item) ? earlier?.plan.items.find(({ target }) => target === item.target) : undefined
              }
            />
          ))}
        </ul>
      )}
    </section>
  )
}

/** The plan of a change request: that an approval is required refuses nothing in it. */
const asRequested = (plan: BatchPlan): BatchPlan => ({
  ...plan,
  items: plan.items.map((item) => ({ ...item, problems: withoutReview(item.problems) })),
})

export interface MovedPlan {
  plan: BatchPlan
  targets: ReadonlySet<string>
}

/** What others have saved since an earlier plan, of the properties that the batch sets. */
function movedValues(earlier: Item, now: Item): Item['values'] {
  return now.values.flatMap((value) => {
    const known = earlier.values.find(
      ({ locator, property }) => locator === value.locator && property === value.property,
    )
    // a value that the plan did not name was the one that the batch sets
    const before = known === undefined ? value.after : known.before
    return deepEqual(before, value.before) ? [] : [{ ...value, before, after: value.before }]
  })
}

const isMissing = ({ parameters }: Item['problems'][number]): boolean =>
  parameters?.['reason'] === 'propertyMissing'

/** The definition of a property that may be named. */
export type DefinitionOf = (locator: string | undefined, property: string) => PropertyDefinition | undefined

function PlannedItem({
  action,
  item,
  definitionOf,
  targetVersion,
  isWaiting,
  earlier,
}: {
  action: Batch['action']
  item: Item
  definitionOf: DefinitionOf
  targetVersion: string | undefined
  /** Only for values that the person has not begun to enter. */
  isWaiting: boolean
  /** In the plan that was refused, because the target has changed since. */
  earlier: Item | undefined
}) {
  const t = useText()
  const { scope, bundle, title, currentVersion, changes, values, failure, plugins, unchecked, problems } =
    item
  const shown = values
    // what an upgrade or an install adds is what the form above says
    .filter(({ before }) => action === 'CONFIGURE' || before !== null)
    .map((value) => (
      <PlannedValue
        key={`${value.locator} ${value.property}`}
        value={value}
        definition={definitionOf(value.locator, value.property)}
      />
    ))
  return (
    <li className="px-3 py-1.5">
      <span className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-medium">{title ?? bundle.bundleId}</span>
        <span className="mono text-muted">{currentVersion}</span>
        {isDowngrade(currentVersion, targetVersion ?? null) && (
          <Badge tone="doubt">{t('batches.make.downgrade.item')}</Badge>
        )}
        <ScopeText scope={scope} />
        {item.wave !== undefined && (
          <span className="text-xs text-muted">{t('batches.wave', { number: item.wave })}</span>
        )}
        {earlier !== undefined && (
          <Badge tone="doubt" icon="warning">
            {t('batches.make.moved')}
          </Badge>
        )}
        {problems.length === 0 && (
          <span className="ml-auto text-xs text-faint">
            {joinClauses(t, [
              action !== 'UPGRADE' && changes > 0 && t('batches.make.values', { n: changes }),
              action !== 'TAKEOVER' && plugins.length > 0 && joinList(t, plugins),
            ])}
          </span>
        )}
      </span>
      {earlier !== undefined &&
        movedValues(earlier, item).map(({ locator, property, before, after }) => (
          <span key={`${locator} ${property}`} className="flex flex-wrap items-baseline gap-x-1.5 text-xs">
            <span className="text-muted">
              {t('batches.make.moved.value', {
                property: propertyTitle(definitionOf(locator, property), property),
              })}
              {t('common.punctuation.colon')}
            </span>
            <ChangedValue
              before={before}
              after={after}
              nameOf={placeNamer(definitionOf(locator, property), t)}
            />
          </span>
        ))}
      {action === 'TAKEOVER' && problems.length === 0 && (
        <span className="block text-xs text-muted">
          {joinSentences(t, [
            failure !== null &&
              t('batches.make.takeover.failed', { title: failureCodeTitle(failure.errorCode) }),
            plugins.length > 0
              ? t('batches.make.takeover.calls', { plugins: joinList(t, plugins) })
              : t('batches.make.takeover.noCalls'),
          ])}
        </span>
      )}
      {action === 'UPGRADE' && changes > 0 && targetVersion !== undefined ? (
        <PlannedUpgrade item={item} targetVersion={targetVersion}>
          {shown}
        </PlannedUpgrade>
      ) : (
        shown
      )}
      {unchecked
        // a plugin that the environment refuses is among the problems
        .filter(({ policy }) => policy === 'WARN')
        .map(({ pluginId, reason, version }) => (
          <span key={pluginId} className="flex gap-1.5 text-xs text-doubt">
            <Icon name="warning" size={12} className="mt-0.5" />
            <span className="min-w-0 wrap-anywhere">
              <span className="mono">{pluginId}</span>
              {t('common.punctuation.colon')}
              {t(`plans.unchecked.${reason}`, { version: version ?? '' })}
            </span>
          </span>
        ))}
      {problems.map((problem) => (
        <span
          key={`${problem.locator} ${problem.property} ${problem.message}`}
          className={cx('flex gap-1.5 text-xs', isWaiting ? 'text-muted' : 'text-fail')}
        >
          <Icon name={isWaiting ? 'edit' : 'failed'} size={12} className="mt-0.5" />
          <span title={problem.errorCode} className="min-w-0 wrap-anywhere">
            <PlanProblemText
              problem={problem}
              title={
                problem.property &&
                propertyTitle(definitionOf(problem.locator, problem.property), problem.property)
              }
            />
          </span>
        </span>
      ))}
    </li>
  )
}

/** A value that is set. One that replaces another is marked. */
function PlannedValue({
  value: { property, before, after },
  definition,
}: {
  value: Item['values'][number]
  definition: PropertyDefinition | undefined
}) {
  const t = useText()
  const name = propertyTitle(definition, property)
  return (
    <span className="flex gap-1.5 text-xs">
      <Icon
        name={before === null ? 'plus' : 'warning'}
        size={12}
        className={cx('mt-0.5', before === null ? 'text-muted' : 'text-doubt')}
      />
      <span className="flex min-w-0 flex-wrap items-baseline gap-x-1.5">
        <span className={before === null ? 'text-muted' : 'text-doubt'}>
          {t(before === null ? 'batches.make.sets' : 'batches.make.replaces', { property: name })}
          {t('common.punctuation.colon')}
        </span>
        <ChangedValue before={before} after={after} nameOf={placeNamer(definition, t)} />
      </span>
    </span>
  )
}
