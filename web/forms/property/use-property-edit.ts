import { useMemo } from 'react'
import { useController } from 'react-hook-form'
import type { Control } from 'react-hook-form'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { useText } from '../../i18n/use-text.ts'
import { type Edit, FormEdit, type PropertyFormValues } from './property-edit.ts'
import { propertyError } from './edit-error.ts'
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
