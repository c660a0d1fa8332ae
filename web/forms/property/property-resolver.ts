import type { FieldError, FieldErrors, Resolver } from 'react-hook-form'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { checkEdit } from './edit-error.ts'
import type { FieldId } from './property-place.ts'
import { editsIn, type PropertyFormValues } from './property-edit.ts'

export interface PropertyRules {
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
