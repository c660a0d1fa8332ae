import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createFormControl } from 'react-hook-form'
import type { Edit, PropertyFormValues } from '../../../forms/property/property-edit.ts'
import { propertyResolver } from '../../../forms/property/edit-error.ts'
import { CORE, data, define, MAIL } from '../testing.ts'
import type { DraftEdit } from './draft.ts'
import { DraftStore } from './draft-store.ts'
import { storedName, writeEdit } from './stored-draft.ts'
import { draftEditIn, followDraft, toFormEdit, formValuesOf } from './draft-form.ts'
import { fieldId, type PropertyPlace } from '../../../forms/property/property-place.ts'

const PORT: PropertyPlace = { locator: MAIL, property: 'smtp.port' }
const NAME: PropertyPlace = { locator: CORE, property: 'name' }
const nameIn = ({ locator, property }: PropertyPlace) => `edits.${fieldId(locator, property)}` as const
const setTo = (value: string): Edit => ({ kind: 'set', value: { '@type': 'Data', value } })
const editTo = (value: string): DraftEdit => ({
  edit: setTo(value),
  base: data('saved'),
  version: 4,
  isSensitive: false,
})

/** A draft with a form over it, in a browser whose storage another tab can write to. */
function open() {
  const items = new Map<string, string>()
  const store = new DraftStore({
    names: () => [...items.keys()],
    read: (name) => items.get(name) ?? null,
    write: (name, text) => {
      if (text === null) items.delete(name)
      else items.set(name, text)
      return true
    },
    readAsked: () => null,
    writeAsked: () => {},
  })
  store.apply([{ ...NAME, next: editTo('before') }])
  const form = createFormControl<PropertyFormValues>({
    defaultValues: formValuesOf(store),
    resolver: propertyResolver<PropertyFormValues>({ definitionOf: () => define() }),
    mode: 'onChange',
  })
  // mounts the form without a page; before that, it returns its default values
  form.subscribe({ formState: {}, callback: () => undefined })
  const { onChange } = form.register(nameIn(PORT))
  const stop = followDraft(form, store)
  return {
    store,
    form,
    stop,
    inForm: (place: PropertyPlace) => draftEditIn(form.getValues(nameIn(place))),
    /** Types in a field as the page does. */
    type: (text: string) => {
      const context = { saved: data('saved'), version: 4, isSensitive: false }
      const value = toFormEdit(store.type(PORT, setTo(text), context))
      return onChange({ target: { name: nameIn(PORT), value } })
    },
    writeInOtherTab: (place: PropertyPlace, edit: DraftEdit) => {
      items.set(storedName(place), writeEdit(edit))
      store.syncFromStorage(storedName(place))
    },
  }
}

describe('a form over a draft', () => {
  it('starts with the edits of the draft, as the same objects', () => {
    const { store, inForm } = open()
    assert.equal(inForm(NAME), store.edit(CORE, 'name'))
    assert.equal(inForm(PORT), undefined)
  })

  it('stores input in the form and in the draft', async () => {
    const { store, inForm, type } = open()
    await type('2525')
    assert.deepEqual(inForm(PORT), editTo('2525'))
    assert.equal(inForm(PORT), store.edit(MAIL, 'smtp.port'))
    await type('saved')
    assert.equal(inForm(PORT), undefined)
    assert.equal(store.edit(MAIL, 'smtp.port'), undefined)
  })

  it('follows another tab, a merge, and a save', () => {
    const { store, inForm, writeInOtherTab } = open()
    writeInOtherTab(PORT, editTo('from another tab'))
    assert.deepEqual(inForm(PORT), editTo('from another tab'))
    store.applyAutomatically([{ ...PORT, next: { ...editTo('from another tab'), version: 5 } }])
    assert.equal(inForm(PORT)?.version, 5)
    store.drop(store.current())
    assert.equal(inForm(PORT), undefined)
    assert.equal(inForm(NAME), undefined)
  })

  it('adopts at mount what has changed since it was created', () => {
    const { store, form, stop, inForm } = open()
    stop()
    store.apply([
      { ...NAME, next: null },
      { ...PORT, next: editTo('2525') },
    ])
    assert.deepEqual(inForm(NAME), editTo('before'))
    followDraft(form, store)
    assert.equal(inForm(NAME), undefined)
    assert.deepEqual(inForm(PORT), editTo('2525'))
  })

  it('discards a server error with its edit, and keeps the others', async () => {
    const { store, form, type } = open()
    for (const place of [NAME, PORT]) form.setError(nameIn(place), { type: 'server', message: 'No' })
    await type('2525')
    assert.equal(form.getFieldState(nameIn(PORT)).error, undefined)
    assert.equal(form.getFieldState(nameIn(NAME)).error?.message, 'No')
    store.apply([{ ...NAME, next: null }])
    // the form validates the field again after this task
    await setImmediate()
    assert.equal(form.getFieldState(nameIn(NAME)).error, undefined)
  })
})
