import { useMemo } from 'react'
import { useController } from 'react-hook-form'
import type { PropertyView } from '#contract/console-api/shapes.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { Edit } from '../../../forms/property/property-edit.ts'
import { fieldId } from '../../../forms/property/property-place.ts'
import { propertyError } from '../../../forms/property/edit-error.ts'
import { useText } from '../../../i18n/use-text.ts'
import type { DraftEdit } from '../draft/draft.ts'
import { focusedText } from '../editor/use-undo.ts'
import { useEditor } from '../editor/editor-context.ts'
import { draftEditIn, toFormEdit } from '../draft/draft-form.ts'

/** A property's field in the editor. */
export interface DraftField {
  draftEdit: DraftEdit | undefined
  /** The error in the edit, in the current language. */
  error: string | null
  onEdit: (edit: Edit) => void
  /** Discards the edit. */
  onReset: () => void
}

/**
 * Connects a property to the form. The draft stores the input with its base: the value and snapshot it started from.
 */
export function useDraftField({
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
}): DraftField {
  const t = useText()
  const { form, store, configuration, loseChange } = useEditor()
  const { snapshotVersion } = configuration
  const { field, fieldState } = useController({
    control: form.control,
    name: `edits.${fieldId(locator, property)}`,
  })
  const { onChange } = field
  const handlers = useMemo(() => {
    const isSensitive = definition?.isSensitive === true
    return {
      onEdit: (edit: Edit) =>
        onChange(
          toFormEdit(
            store.type({ locator, property }, edit, {
              saved: view,
              version: snapshotVersion,
              isSensitive,
              typedIn: focusedText(),
            }),
          ),
        ),
      onReset: () => loseChange(() => store.apply([{ locator, property, next: null }])),
    }
  }, [onChange, loseChange, store, snapshotVersion, locator, property, definition, view])
  const draftEdit = draftEditIn(field.value)
  const error =
    draftEdit === undefined || definition === undefined
      ? null
      : propertyError(definition, draftEdit.edit, fieldState.error, t)
  return { draftEdit, error, ...handlers }
}
