import type { UseFormReturn } from 'react-hook-form'
import { fieldId, parseFieldId, type FieldId } from '../../../forms/property/field-id.ts'
import { FormEdit, type PropertyFormValues } from '../../../forms/property/form-edit.ts'
import { allEdits, type DraftEdit, type PropertyPlace } from '../editor/draft.ts'
import type { DraftStore } from '../editor/draft-store.ts'

/** An edit of the draft as a field's value, with its base. */
class HeldEdit extends FormEdit {
  readonly draftEdit: DraftEdit

  constructor(draftEdit: DraftEdit) {
    super(draftEdit.edit)
    this.draftEdit = draftEdit
  }
}

/** An edit as the value of its field; null for none. */
export const hold = (draftEdit: DraftEdit | null | undefined): FormEdit | null =>
  draftEdit ? new HeldEdit(draftEdit) : null

export const draftEditIn = (held: FormEdit | null | undefined): DraftEdit | undefined =>
  held instanceof HeldEdit ? held.draftEdit : undefined

/** The values of a form over a draft. */
export const valuesOf = (store: DraftStore): PropertyFormValues => ({
  edits: Object.fromEntries(
    allEdits(store.current()).map(({ locator, property }) => [
      fieldId(locator, property),
      hold(store.edit(locator, property)),
    ]),
  ),
})

/**
 * Keeps a form in step with its draft until the returned function is called. What is typed reaches the draft through its
 * field. Every other change of the draft reaches the form here: from another tab, a merge, the JSON document or a save.
 */
export function followDraft(
  { getValues, setValue }: Pick<UseFormReturn<PropertyFormValues>, 'getValues' | 'setValue'>,
  store: DraftStore,
): () => void {
  const follow = (places: readonly PropertyPlace[]) => {
    for (const { locator, property } of places) {
      const name = `edits.${fieldId(locator, property)}` as const
      const edit = store.edit(locator, property)
      if (draftEditIn(getValues(name)) !== edit) setValue(name, hold(edit), { shouldValidate: true })
    }
  }
  const held = Object.keys(getValues('edits')).flatMap((id: FieldId) => parseFieldId(id) ?? [])
  follow([...held, ...allEdits(store.current())])
  return store.watchEdits(follow)
}
