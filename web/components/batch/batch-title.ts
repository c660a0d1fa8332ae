import type { Batch } from '#contract/console-api/shapes.ts'
import { joinList } from '../../i18n/punctuation.ts'
import type { Translate } from '../../i18n/use-text.ts'

type Named = Pick<Batch, 'action' | 'title' | 'summary' | 'input'>

/** What a batch is called: as its maker named it, or after what it does. */
export function batchTitle({ action, title, summary, input }: Named, t: Translate): string {
  if (title !== null) return title
  if (summary === null) return t(`selection.action.${action}`)
  const [first] = summary.bundles
  const isSingle = summary.bundleCount === 1 && first !== undefined
  const bundle = isSingle
    ? (first.title ?? first.bundleId)
    : t('batches.name.bundles', { n: summary.bundleCount })
  const counted = { n: summary.targets, bundle }
  if (action !== 'CONFIGURE') return t(`batches.name.${action}`, counted)
  const [property, ...more] = input.properties
  return property !== undefined && more.length === 0
    ? t('batches.name.CONFIGURE', { ...counted, property: property.property })
    : t('batches.name.CONFIGURE.several', counted)
}

/** The versions of the targets, and the version of an upgrade: `1.0.0, 1.1.0 → 2.0.0`. Empty if nothing is known. */
export function batchVersions({ summary, input }: Pick<Named, 'summary' | 'input'>, t: Translate): string {
  const versions = summary?.bundleCount === 1 ? (summary.bundles[0]?.versions ?? []) : []
  const from = joinList(t, versions)
  if (input.targetVersion === null) return from
  return from === '' ? input.targetVersion : `${from} → ${input.targetVersion}`
}
