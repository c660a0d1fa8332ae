import { useLayoutEffect, useMemo, useState } from 'react'
import { useForm, useFormState, type UseFormReturn } from 'react-hook-form'
import type { Configuration } from '#contract/console-api/shapes.ts'
import { parseFieldId, type FieldId } from '../../../forms/property/property-place.ts'
import type { PropertyFormValues } from '../../../forms/property/property-edit.ts'
import { propertyResolver } from '../../../forms/property/property-resolver.ts'
import type { DraftStore } from './draft-store.ts'
import { definitionOf } from './outline.ts'
import { followDraft, formValuesOf } from './draft-form.ts'

export type DraftForm = UseFormReturn<PropertyFormValues>

/**
 * The form over the draft of a scope. It contains the edits of all resources; only one resource has its fields mounted.
 */
export function useDraftForm(store: DraftStore, configuration: Configuration): DraftForm {
  const [defaultValues] = useState(() => formValuesOf(store))
  const resolver = useMemo(
    () =>
      propertyResolver<PropertyFormValues>({
        definitionOf: (id) => {
          const place = parseFieldId(id)
          return place === null
            ? undefined
            : definitionOf(configuration.resources[place.locator], place.property)
        },
      }),
    [configuration],
  )
  const form = useForm<PropertyFormValues>({ defaultValues, resolver, mode: 'onChange' })
  const { getValues, setValue } = form
  useLayoutEffect(() => followDraft({ getValues, setValue }, store), [getValues, setValue, store])
  return form
}

/** The server errors, by field. */
export function useServerErrors({ control }: DraftForm): ReadonlyMap<FieldId, string> {
  const { errors } = useFormState({ control })
  return useMemo(
    () =>
      new Map(
        // react-hook-form changes `errors.edits` in place; only `errors` itself is a new object each time
        Object.entries(errors.edits ?? {}).flatMap(([id, error]) =>
          error?.type === 'server' && error.message !== undefined ? [[id, error.message] as const] : [],
        ),
      ),
    [errors],
  )
}
