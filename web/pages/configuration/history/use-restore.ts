import { useText } from '../../../i18n/use-text.ts'
import { showToast } from '../../../ui/toast.ts'
import type { PropertyPlace } from '../editor/draft.ts'
import { useEditor } from '../editor/editor-context.ts'
import { definitionOf } from '../editor/outline.ts'
import { propertyTitle } from '../labels.ts'
import type { Left, Restoring } from './restore.ts'

const LEFT: readonly Left[] = ['changedSince', 'plugin', 'sensitive', 'gone', 'same']

/**
 * Puts restored values into the draft and opens the review. Reports the unsaved edits that were replaced, and why other
 * values stay.
 */
export function useRestore(): (restoring: Restoring) => void {
  const t = useText()
  const { configuration, store, openReview } = useEditor()
  const nameOf = ({ locator, property }: PropertyPlace) =>
    propertyTitle(definitionOf(configuration.resources[locator], property), property)
  return ({ step, left, replaced }) => {
    store.apply(step)
    if (step.length > 0) openReview()
    const reasons = LEFT.flatMap((why) => {
      const n = left.filter((one) => one.why === why).length
      return n === 0 ? [] : [t(`configuration.restore.${why}`, { n })]
    })
    if (replaced.length > 0) {
      const names = replaced.map(nameOf).join(t('common.punctuation.list'))
      reasons.unshift(t('configuration.restore.replaced', { n: replaced.length, names }))
    }
    if (reasons.length > 0) showToast({ tone: 'info', text: reasons.join(' ') })
  }
}
