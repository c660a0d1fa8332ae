import { useMemo } from 'react'
import { useController, type Control, type FieldError } from 'react-hook-form'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { type Edit, FormEdit, type PropertyFormValues } from './property-edit.ts'
import { editError, missingText } from './edit-error.ts'
import type { FieldId } from './property-place.ts'

/** A property's field in a form. */
export interface PropertyEdit {
  /** Null if the property has no edit. */
  edit: Edit | null
  /** The field's error, in the current language. */
  error: string | null
  onEdit: (edit: Edit) => void
  /** Discards the edit. */
  onReset: () => void
}

/** Connects a property to a form whose values contain its edits. */
export function usePropertyEdit<Values extends PropertyFormValues>(
  control: Control<Values>,
  id: FieldId,
  definition: PropertyDefinition,
): PropertyEdit {
  const t = useText()
  const { field, fieldState } = useController({
    // only `edits` is read, which every form of this kind has
    control: control as unknown as Control<PropertyFormValues>,
    name: `edits.${id}`,
  })
  const { onChange } = field
  const handlers = useMemo(
    () => ({
      onEdit: (edit: Edit) => onChange(new FormEdit(edit)),
      onReset: () => onChange(null),
    }),
    [onChange],
  )
  const edit = field.value?.read() ?? null
  return { edit, error: propertyError(definition, edit, fieldState.error, t), ...handlers }
}

/**
 * A field's error message: first an error in the edit itself, then a missing value, then the server's error about the
 * submitted value.
 */
export function propertyError(
  definition: PropertyDefinition,
  edit: Edit | null,
  error: FieldError | undefined,
  t: Translate,
): string | null {
  const ownError = edit === null ? null : editError(definition, edit, t)
  if (ownError !== null) return ownError
  if (error?.type === 'missing') return edit === null ? missingText(definition, t) : null
  return error?.message ?? null
}
