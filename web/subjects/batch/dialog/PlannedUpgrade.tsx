import { useState, type ReactNode } from 'react'
import type { BatchPlan } from '#contract/console-api/shapes.ts'
import { useErrorView } from '../../../i18n/describe-code.ts'
import { useText } from '../../../i18n/use-text.ts'
import { ErrorState } from '../../../ui/ErrorState.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { SkeletonLines } from '../../../ui/Skeleton.tsx'
import { useTitles } from '../../manifest/use-titles.ts'
import { ChangeList } from '../../plan/ChangeList.tsx'
import { useOperationPlan } from '../../plan/use-operation-plan.ts'

type Item = BatchPlan['items'][number]

/**
 * What an upgrade changes in one target of a batch: the plan of the batch has only the number, because it may have a thousand
 * targets. What the version brings and removes is read when the person opens it.
 */
export function PlannedUpgrade({
  item,
  targetVersion,
  children,
}: {
  item: Item
  targetVersion: string
  /** The values that are replaced, shown until all are. */
  children: ReactNode
}) {
  const t = useText()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <details
        className="group/changes text-xs"
        onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
      >
        <summary className="flex min-h-6 w-fit items-center gap-1.5 rounded-sm text-muted hover:text-ink">
          <Icon name="chevronRight" size={12} className="group-open/changes:rotate-90" />
          {t('batches.make.values', { n: item.changes })}
        </summary>
        {isOpen && <Changes item={item} targetVersion={targetVersion} />}
      </details>
      {!isOpen && children}
    </>
  )
}

function Changes({ item, targetVersion }: { item: Item; targetVersion: string }) {
  const t = useText()
  const { target, bundle, currentVersion, values } = item
  const state = useOperationPlan('POST /installations/{bundleInstallId}/upgrade/plan', {
    params: { bundleInstallId: target },
    body: { targetVersion },
  })
  const error = useErrorView(state.error)
  const isSet = (locator: string, property: string) =>
    values.some((value) => value.locator === locator && value.property === property)
  const brought = state.plan?.changes.filter(({ locator, property }) => !isSet(locator, property)) ?? []
  const changes = [...values, ...brought]
  const titles = useTitles(changes, bundle, { targetVersion, currentVersion })
  if (state.plan === undefined)
    return error === null ? (
      <SkeletonLines lines={2} />
    ) : (
      <ErrorState error={error} onRetry={state.refetch} retrying={state.isChecking} />
    )
  return <ChangeList changes={changes} label={t('plans.changes.label')} titles={titles} />
}
