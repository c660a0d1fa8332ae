import { useMemo } from 'react'
import { useController } from 'react-hook-form'
import type { Control, FieldError, FieldErrors, Resolver } from 'react-hook-form'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { type Edit, FormEdit, type PropertyFormValues, editsIn } from './property-edit.ts'
import { editError, missingText, checkEdit } from './edit-error.ts'
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

interface PropertyRules {
  /** The definition of a field; undefined for one that is not (or no longer) in the form, which is not checked. */
  definitionOf: (id: FieldId) => PropertyDefinition | undefined
  /** The fields that need a value. */
  required?: Iterable<FieldId>
}

/**
 * Validates a form against property definitions. An error contains only its type: `invalid` (the field gets the message
 * from `editError`, in the current language) or `missing`.
 *
 * @param others Validates the values beside the properties; its errors are added.
 */
export function propertyResolver<Values extends PropertyFormValues>(
  { definitionOf, required = [] }: PropertyRules,
  others?: (values: Values) => FieldErrors<Values>,
): Resolver<Values> {
  return (values) => {
    const edits = editsIn(values)
    const errors: Record<FieldId, FieldError> = {}
    for (const id of required) if (!edits.has(id)) errors[id] = { type: 'missing' }
    for (const [id, edit] of edits) {
      const definition = definitionOf(id)
      if (definition !== undefined && checkEdit(definition, edit) !== null) errors[id] = { type: 'invalid' }
    }
    const rest = others?.(values) ?? {}
    if (Object.keys(errors).length === 0 && Object.keys(rest).length === 0) return { values, errors: {} }
    // errors are keyed by field name, which the type of all `Values` cannot express
    return { values: {}, errors: { ...rest, edits: errors } as FieldErrors<Values> }
  }
}
