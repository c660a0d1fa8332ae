import { useMemo } from 'react'
import type { PropertyView } from '#contract/console-api/shapes.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { Edit } from '../../../forms/property/edit.ts'
import { useEditor } from '../editor-context.ts'

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
  /** The saved value. */
  view: PropertyView | null
}): { onEdit: (edit: Edit) => void; onReset: () => void } {
  const { store, configuration } = useEditor()
  const { snapshotVersion } = configuration
  return useMemo(() => {
    const isSensitive = definition?.isSensitive === true
    return {
      onReset: () => store.take([{ locator, property, next: null }]),
      onEdit: (edit) =>
        store.type({ locator, property }, edit, { saved: view, version: snapshotVersion, isSensitive }),
    }
  }, [store, snapshotVersion, locator, property, definition, view])
}
