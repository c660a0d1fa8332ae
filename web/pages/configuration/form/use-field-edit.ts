import { useMemo } from 'react'
import type { PropertyView } from '#contract/console-api/shapes.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { Edit } from '../../../forms/edit.ts'
import { useEditor } from '../editor-context.ts'
import { changesNothing } from '../view.ts'

/** How a property is edited: an edit that leads back to what is saved is none. */
export function useFieldEdit({
  locator,
  property,
  definition,
  view,
}: {
  locator: string
  property: string
  definition: PropertyDefinition | undefined
  view: PropertyView | null
}): { onEdit: (edit: Edit) => void; onReset: () => void } {
  const { store, configuration } = useEditor()
  const { snapshotVersion } = configuration
  return useMemo(() => {
    const onReset = () => store.take([{ locator, property, next: null }])
    return {
      onReset,
      onEdit: (edit) => {
        const before = store.edit(locator, property)
        // the base of an edit is what the person saw when it began, not what has come since
        const base = before === undefined ? view : before.base
        const version = before === undefined ? snapshotVersion : before.version
        if (changesNothing(edit, base)) return onReset()
        const isSensitive = definition?.isSensitive === true
        store.take([{ locator, property, next: { edit, base, version, isSensitive } }])
      },
    }
  }, [store, snapshotVersion, locator, property, definition, view])
}
