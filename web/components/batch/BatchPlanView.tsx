import type { BatchPlan } from '#contract/console-api/shapes.ts'
import { isDowngrade } from '#contract/protocol/version-order.ts'
import { joinClauses, joinList } from '../../i18n/punctuation.ts'
import { messageText } from '../../i18n/message-text.ts'
import { useText } from '../../i18n/use-text.ts'
import { Badge } from '../../ui/Badge.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Icon } from '../../ui/icons/Icon.tsx'
import { SkeletonLines } from '../../ui/Skeleton.tsx'
import { useErrorView } from '../describe-code.ts'
import { ScopeText } from '../ScopeText.tsx'

type Item = BatchPlan['items'][number]

/** What a batch will do to each target. What is refused comes first, with the reasons. */
export function BatchPlanView({
  plan,
  error,
  isChecking,
  onRetry,
  targetVersion,
}: {
  plan: BatchPlan | undefined
  error: unknown
  isChecking: boolean
  onRetry: () => void
  /** Of an UPGRADE. */
  targetVersion: string | undefined
}) {
  const t = useText()
  const view = useErrorView(error)
  if (plan === undefined && view !== null)
    return <ErrorState error={view} retrying={isChecking} onRetry={onRetry} />
  const refused = plan?.items.filter(({ problems }) => problems.length > 0) ?? []
  const ready = plan?.items.filter(({ problems }) => problems.length === 0) ?? []
  return (
    <section aria-label={t('batches.make.plan')} aria-busy={isChecking}>
      <h3 className="mb-1 flex flex-wrap items-baseline gap-x-3">
        <span className="font-semibold">{t('batches.make.plan')}</span>
        <span role="status" className="text-muted">
          {plan === undefined
            ? t('batches.make.checking')
            : joinClauses(t, [
                t('batches.make.ready', { n: ready.length }),
                refused.length > 0 && t('batches.make.refused', { n: refused.length }),
              ])}
        </span>
      </h3>
      {plan === undefined ? (
        <SkeletonLines lines={3} />
      ) : (
        <ul className="max-h-80 divide-y divide-line overflow-y-auto rounded-lg border border-line">
          {[...refused, ...ready].map((item) => (
            <PlannedItem key={item.target} item={item} targetVersion={targetVersion} />
          ))}
        </ul>
      )}
    </section>
  )
}

function PlannedItem({ item, targetVersion }: { item: Item; targetVersion: string | undefined }) {
  const t = useText()
  const { installation, title, currentVersion, changes, plugins, problems } = item
  return (
    <li className="px-3 py-1.5">
      <span className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-medium">{title ?? installation.bundle.bundleId}</span>
        <span className="mono text-muted">{currentVersion}</span>
        {isDowngrade(currentVersion, targetVersion ?? null) && (
          <Badge tone="doubt">{t('batches.make.downgrade.item')}</Badge>
        )}
        <ScopeText scope={installation} />
        {problems.length === 0 && (
          <span className="ml-auto text-xs text-faint">
            {joinClauses(t, [
              changes > 0 && t('batches.make.values', { n: changes }),
              plugins.length > 0 && joinList(t, plugins),
            ])}
          </span>
        )}
      </span>
      {problems.map((problem) => (
        <span key={`${problem.property} ${problem.message}`} className="flex gap-1.5 text-xs text-fail">
          <Icon name="failed" size={12} className="mt-0.5" />
          <span className="min-w-0 wrap-anywhere">
            {problem.property !== undefined && <span className="mono mr-1.5">{problem.property}</span>}
            {messageText(problem)}
          </span>
        </span>
      ))}
    </li>
  )
}
