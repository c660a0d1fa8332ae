import type { BatchSummary } from '#contract/runtime-api/batches.ts'
import type { BatchAction } from '#contract/runtime-api/vocabulary.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { PlannedTarget } from './targets.ts'

const SHOWN_MAX = 5

type Target = Pick<PlannedTarget, 'bundle' | 'title' | 'installation'>

/** What a batch is about. */
export function summaryOf(targets: readonly Target[]): BatchSummary {
  const bundles = Map.groupBy(targets, ({ bundle }) =>
    JSON.stringify([bundle.environmentKey, bundle.bundleId]),
  )
  return {
    targets: targets.length,
    bundleCount: bundles.size,
    bundles: [...bundles.values()]
      .toSorted((one, other) => other.length - one.length)
      .slice(0, SHOWN_MAX)
      .map((of) => ({
        bundleId: of[0]!.bundle.bundleId,
        title: of.find(({ title }) => title !== null)?.title ?? null,
        targets: of.length,
        versions: versionsIn(of),
      })),
  }
}

function versionsIn(targets: readonly Target[]): string[] {
  const versions = targets.flatMap(({ installation }) => installation?.version ?? [])
  return [...new Set(versions)].toSorted().slice(0, SHOWN_MAX)
}

/**
 * How the audit names a batch: its action, the number of its targets and its id, then the title that its maker gave it, in
 * quotation marks, or the bundle that it is about. So each reader sees it in their language. The entry belongs to the scope
 * of the targets if they share one.
 *
 * @param scopes Of each target.
 */
export function subjectOfBatch(
  { batchId, action, title, summary }: BatchParts,
  scopes: readonly Scope[],
): { subject: string; scope?: Scope } {
  const [first] = scopes
  const isShared = first !== undefined && scopes.every((scope) => isSame(scope, first))
  const [bundle] = summary?.bundleCount === 1 ? summary.bundles : []
  const name = title !== '' ? ` "${title}"` : bundle ? ` of ${bundle.title ?? bundle.bundleId}` : ''
  return {
    subject: `${action} ${scopes.length} ${batchId}${name}`,
    ...(isShared && { scope: first }),
  }
}

interface BatchParts {
  batchId: string
  action: BatchAction
  /** Empty without one. */
  title: string
  /** Null for a batch of an earlier version. */
  summary: BatchSummary | null
}

const isSame = (one: Scope, other: Scope): boolean =>
  one.environmentKey === other.environmentKey &&
  one.applicationRuntimeId === other.applicationRuntimeId &&
  one.workspaceId === other.workspaceId
