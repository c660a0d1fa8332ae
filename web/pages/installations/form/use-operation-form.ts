import { useEffect, useMemo } from 'react'
import { useForm, useFormState, useWatch, type FieldPath } from 'react-hook-form'
import type { Detail } from '../../../forms/form/server-errors.ts'
import { fieldId, type FieldId } from '../../../forms/property/field-id.ts'
import { editsIn, type PropertyFormValues } from '../../../forms/property/form-edit.ts'
import { propertyResolver } from '../../../forms/property/property-resolver.ts'
import type { FormField, FormResource } from './property-form.ts'

/** The input for an INSTALL or UPGRADE. */
export interface OperationValues extends PropertyFormValues {
  reason: string
}

/** Keeps the input while the form is unmounted: another version is loading, or cannot be loaded. */
export interface OperationInput {
  values: OperationValues
}

export const emptyInput = (): OperationInput => ({ values: { edits: {}, reason: '' } })

/** Whether something is entered, also while the form is unmounted. */
export const hasInput = ({ values }: OperationInput): boolean =>
  editsIn(values).size > 0 || values.reason.trim() !== ''

/**
 * The form over the fields of several resources.
 *
 * @param missingReason The error of an empty reason; omitted if the reason is optional.
 */
export function useOperationForm(
  resources: readonly FormResource[],
  input: OperationInput,
  missingReason?: string,
) {
  const fields = useMemo(() => fieldsById(resources), [resources])
  const resolver = useMemo(
    () =>
      propertyResolver<OperationValues>(
        {
          definitionOf: (id) => fields.get(id)?.definition,
          required: [...fields.values()].filter(({ isNeeded }) => isNeeded).map(({ id }) => id),
        },
        ({ reason }) =>
          missingReason !== undefined && reason.trim() === ''
            ? { reason: { type: 'required', message: missingReason } }
            : {},
      ),
    [fields, missingReason],
  )
  const form = useForm<OperationValues>({
    defaultValues: input.values,
    mode: 'onChange',
    resolver,
    // `Form` focuses the first invalid field, in page order
    shouldFocusError: false,
  })
  const { control, subscribe } = form
  useEffect(
    () =>
      subscribe({
        formState: { values: true },
        callback: ({ values }) => {
          input.values = values
        },
      }),
    [subscribe, input],
  )
  const hasEdits = useWatch({ control, compute: (values) => editsIn(values).size > 0 })
  const hasReason = useWatch({ control, compute: ({ reason }) => reason.trim() !== '' })
  const errors = useFormState({ control }).errors.edits ?? {}
  return {
    form,
    hasEdits,
    isDirty: hasEdits || hasReason,
    /** The number of fields to fix. */
    invalid: Object.keys(errors).filter((id) => fields.has(id)).length,
    /** The field that an error detail belongs to. */
    fieldOf: (detail: Detail): FieldPath<OperationValues> | null => fieldOf(detail, fields),
  }
}

const fieldsById = (resources: readonly FormResource[]): ReadonlyMap<FieldId, FormField> =>
  new Map(resources.flatMap(({ fields }) => fields.map((field) => [field.id, field])))

function fieldOf(
  { locator, property, path }: Detail,
  fields: ReadonlyMap<FieldId, FormField>,
): FieldPath<OperationValues> | null {
  if (path === 'body.reason') return 'reason'
  if (locator === undefined || property === undefined) return null
  const id = fieldId(locator, property)
  return fields.has(id) ? `edits.${id}` : null
}
