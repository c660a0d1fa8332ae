import { type UseFormReturn, useForm, useFormState } from 'react-hook-form'
import { useLayoutEffect, useMemo, useState } from 'react'
import type { Configuration } from '#contract/console-api/shapes.ts'
import { FormEdit, type PropertyFormValues } from '../../../forms/property/property-edit.ts'
import { allEdits, type DraftEdit } from './draft.ts'
import type { DraftStore } from './draft-store.ts'
import {
  fieldId,
  parseFieldId,
  type FieldId,
  type PropertyPlace,
} from '../../../forms/property/property-place.ts'
import { propertyResolver } from '../../../forms/property/edit-error.ts'
import { definitionOf } from './outline.ts'

/** An edit of the draft with its base, as a form value. */
class DraftFormEdit extends FormEdit {
  readonly draftEdit: DraftEdit

  constructor(draftEdit: DraftEdit) {
    super(draftEdit.edit)
    this.draftEdit = draftEdit
  }
}

/** Converts an edit to the value of its field; null for none. */
export const toFormEdit = (draftEdit: DraftEdit | null | undefined): FormEdit | null =>
  draftEdit ? new DraftFormEdit(draftEdit) : null

export const draftEditIn = (held: FormEdit | null | undefined): DraftEdit | undefined =>
  held instanceof DraftFormEdit ? held.draftEdit : undefined

/** The values of a form over a draft. */
export const formValuesOf = (store: DraftStore): PropertyFormValues => ({
  edits: Object.fromEntries(
    allEdits(store.current()).map(({ locator, property }) => [
      fieldId(locator, property),
      toFormEdit(store.edit(locator, property)),
    ]),
  ),
})

/**
 * Synchronizes a form with its draft until the returned function is called. Input reaches the draft through its field.
 * All other changes of the draft reach the form here: from another tab, a merge, the JSON document or a save.
 */
export function followDraft(
  { getValues, setValue }: Pick<UseFormReturn<PropertyFormValues>, 'getValues' | 'setValue'>,
  store: DraftStore,
): () => void {
  const follow = (places: readonly PropertyPlace[]) => {
    for (const { locator, property } of places) {
      const name = `edits.${fieldId(locator, property)}` as const
      const edit = store.edit(locator, property)
      if (draftEditIn(getValues(name)) !== edit) setValue(name, toFormEdit(edit), { shouldValidate: true })
    }
  }
  const held = Object.keys(getValues('edits')).flatMap((id: FieldId) => parseFieldId(id) ?? [])
  follow([...held, ...allEdits(store.current())])
  return store.watchEdits(follow)
}

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
