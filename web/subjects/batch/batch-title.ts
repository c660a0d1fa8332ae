import type { Batch, BatchPlan } from '#contract/console-api/shapes.ts'
import { isDowngrade } from '#contract/protocol/version-order.ts'
import { joinList, labelled } from '../../i18n/punctuation.ts'
import type { Translate } from '../../i18n/use-text.ts'

type Named = Pick<Batch, 'action' | 'title' | 'summary' | 'input'>

/** The action of a batch as people call it: an upgrade of only newer versions is a downgrade. */
export function batchAction({
  action,
  summary,
  input,
}: Pick<Named, 'action' | 'summary' | 'input'>): Batch['action'] | 'DOWNGRADE' {
  if (action !== 'UPGRADE' || summary?.bundleCount !== 1) return action
  const versions = summary.bundles[0]?.versions ?? []
  const isOlder =
    versions.length > 0 && versions.every((version) => isDowngrade(version, input.targetVersion))
  return isOlder ? 'DOWNGRADE' : action
}

/** What a batch is called: as its maker named it, or after what it does. */
export function batchTitle(batch: Named, t: Translate): string {
  const { action, title, summary, input } = batch
  if (title !== null) return title
  if (summary === null) return t(`selection.action.${action}`)
  const [first] = summary.bundles
  const isSingle = summary.bundleCount === 1 && first !== undefined
  const bundle = isSingle
    ? (first.title ?? first.bundleId)
    : t('batches.name.bundles', { n: summary.bundleCount })
  const counted = { n: summary.targets, bundle }
  const name = batchAction(batch)
  if (name !== 'CONFIGURE') return t(`batches.name.${name}`, counted)
  // one property of several bundles is one to its reader
  const [property, ...more] = new Set(input.properties.map((set) => set.title ?? set.property))
  return property !== undefined && more.length === 0
    ? t('batches.name.CONFIGURE', { ...counted, property })
    : t('batches.name.CONFIGURE.several', counted)
}

/** What a change request of a batch is called: after what it does, to which version, and where, so that a list tells requests apart. */
export function batchRequestTitle(
  batch: Pick<Named, 'action' | 'input'>,
  items: readonly Pick<BatchPlan['items'][number], 'bundle' | 'title' | 'scope' | 'currentVersion'>[],
  t: Translate,
): string {
  const { targetVersion } = batch.input
  const bundles = [...Map.groupBy(items, ({ bundle }) => JSON.stringify(bundle)).values()].map((of) => ({
    bundleId: of[0]?.bundle.bundleId ?? '',
    title: of[0]?.title ?? null,
    targets: of.length,
    versions: [...new Set(of.flatMap(({ currentVersion }) => currentVersion ?? []))],
  }))
  const summary = { targets: items.length, bundles, bundleCount: bundles.length }
  const environments = new Set(items.map(({ scope }) => scope.environmentKey))
  return labelled(
    t,
    batchTitle({ ...batch, title: null, summary }, t),
    joinList(t, [...(targetVersion === null ? [] : [targetVersion]), ...environments]),
  )
}

/** The versions of the targets, and the version of an upgrade: `1.0.0, 1.1.0 → 2.0.0`. Empty if nothing is known. */
export function batchVersions({ summary, input }: Pick<Named, 'summary' | 'input'>, t: Translate): string {
  const versions = summary?.bundleCount === 1 ? (summary.bundles[0]?.versions ?? []) : []
  const from = joinList(t, versions)
  if (input.targetVersion === null) return from
  return from === '' ? input.targetVersion : `${from} → ${input.targetVersion}`
}
