import { useText } from '../../../i18n/use-text.ts'
import { showToast } from '../../../ui/toast.ts'
import { useEditor } from '../editor/editor-context.ts'
import type { Left, Restoring } from './restore.ts'

const LEFT: readonly Left[] = ['changedSince', 'plugin', 'sensitive', 'gone', 'same']

/** Puts restored values into the draft and opens the review. What stays as it is is named with its reason. */
export function useRestore(): (restoring: Restoring) => void {
  const t = useText()
  const { store, openReview } = useEditor()
  return ({ step, left }) => {
    store.apply(step)
    if (step.length > 0) openReview()
    const reasons = LEFT.flatMap((why) => {
      const n = left.filter((one) => one.why === why).length
      return n === 0 ? [] : [t(`configuration.restore.${why}`, { n })]
    })
    if (reasons.length > 0) showToast({ tone: 'info', text: reasons.join(' ') })
  }
}
