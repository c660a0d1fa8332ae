import type { PropertyView } from '#contract/console-api/shapes.ts'
import { useText } from '../../../i18n/use-text.ts'
import { showToast } from '../../../ui/toast.ts'
import { useEditor } from '../editor/editor-context.ts'
import { restore } from '../draft/restore.ts'

/** Restores an earlier value in the form as an ordinary edit, and shows its field. */
export function useTakeValue(): (locator: string, property: string, older: PropertyView | null) => void {
  const t = useText()
  const { store, configuration, goTo } = useEditor()
  return (locator, property, value) => {
    const { step, left } = restore([{ locator, property, value }], configuration, store.current())
    store.apply(step)
    const why = left[0]?.why
    if (why !== undefined) showToast({ tone: 'info', text: t(`configuration.restore.${why}`, { n: 1 }) })
    if (why === undefined || why === 'same') goTo(locator, property)
  }
}
