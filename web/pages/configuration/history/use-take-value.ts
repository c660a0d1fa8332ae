import type { PropertyView } from '#contract/console-api/shapes.ts'
import { useText } from '../../../i18n/use-text.ts'
import { showToast } from '../../../ui/toast.ts'
import { viewAt } from '../editor/draft.ts'
import { useEditor } from '../editor/editor-context.ts'
import { definitionOf } from '../editor/outline.ts'
import { changesNothing, isHidden, valueOf } from '../../../forms/property/property-value.ts'

/** Restores an earlier value in the form as an ordinary edit, which is reviewed like any other. */
export function useTakeValue(): (locator: string, property: string, older: PropertyView | null) => void {
  const t = useText()
  const { store, configuration, goTo } = useEditor()
  return (locator, property, older) => {
    const resource = configuration.resources[locator]
    const definition = definitionOf(resource, property)
    const refuse = (key: 'gone' | 'plugin' | 'same' | 'locked') =>
      showToast({ tone: 'info', text: t(`configuration.take.${key}`) })
    if (resource === undefined || definition === undefined) return refuse('gone')
    if (Object.hasOwn(resource.writtenBy, property)) return refuse('plugin')
    if (resource.claim !== null) return refuse('locked')
    if (isHidden(older) || definition.isSensitive === true) return
    const view = viewAt(resource, property)
    const value = valueOf(older)
    const edit = value === null ? ({ kind: 'removed' } as const) : ({ kind: 'set', value } as const)
    if (changesNothing(edit, view)) {
      store.apply([{ locator, property, next: null }])
      refuse('same')
    } else {
      const next = { edit, base: view, version: configuration.snapshotVersion, isSensitive: false }
      store.apply([{ locator, property, next }])
    }
    goTo(locator, property)
  }
}
