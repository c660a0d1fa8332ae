import { useEffect, useEffectEvent, useMemo } from 'react'
import { useForm, useFormState, useWatch, type FieldPath } from 'react-hook-form'
import type { Detail } from '../../forms/form/server-errors.ts'
import { fieldId, type FieldId } from '../../forms/property/property-place.ts'
import { editsIn } from '../../forms/property/property-edit.ts'
import { propertyResolver } from '../../forms/property/edit-error.ts'
import {
  hasSensitiveInput,
  emptyInput,
  hasInput,
  type OperationInput,
  type OperationValues,
} from './form-draft.ts'
import type { FormField, FormResource } from './property-form.ts'

export { emptyInput, hasInput, type OperationInput, type OperationValues }

/**
 * The form over the fields of several resources.
 *
 * @param missingReason The error of an empty reason; omitted if the reason is optional.
 * @param kept The values to start with instead of `input`, and what is called with what is entered.
 */
export function useOperationForm(
  resources: readonly FormResource[],
  input: OperationInput,
  missingReason?: string,
  kept?: { initial: OperationValues | undefined; onInput: (values: OperationValues) => void },
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
    defaultValues: kept?.initial ?? input.values,
    mode: 'onChange',
    resolver,
    // `Form` focuses the first invalid field, in page order
    shouldFocusError: false,
  })
  const { control, subscribe } = form
  const noteInput = useEffectEvent((values: OperationValues) => kept?.onInput(values))
  useEffect(
    () =>
      subscribe({
        formState: { values: true },
        callback: ({ values }) => {
          input.values = values
          noteInput(values)
        },
      }),
    [subscribe, input],
  )
  const hasEdits = useWatch({ control, compute: (values) => editsIn(values).size > 0 })
  const isSensitiveTyped = useWatch({ control, compute: (values) => hasSensitiveInput(resources, values) })
  const hasReason = useWatch({ control, compute: ({ reason }) => reason.trim() !== '' })
  const errors = useFormState({ control }).errors.edits ?? {}
  /** Empties the form. A reset would leave the fields that are shown as they are. */
  const clear = () => {
    for (const id of editsIn(form.getValues()).keys()) form.setValue(`edits.${id}`, null)
    form.setValue('reason', '')
  }
  return {
    form,
    clear,
    hasEdits,
    isDirty: hasEdits || hasReason,
    /** Whether a sensitive value is entered, which is kept only in the form. */
    isSensitiveTyped,
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
