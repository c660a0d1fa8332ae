import { expect, test } from 'vitest'
import { fieldId } from '../../../forms/property/field-id.ts'
import { FormEdit } from '../../../forms/property/form-edit.ts'
import { readFormDraft, writeFormDraft } from './form-draft.ts'
import type { FormField, FormResource } from './property-form.ts'

const CORE = 'development/crm/MODULE/core'
const id = fieldId(CORE, 'ratio')
const definition: FormField['definition'] = { kind: 'DATA', schema: { type: ['number', 'null'] } }
const resources: FormResource[] = [
  {
    locator: CORE,
    kind: 'MODULE',
    title: 'Core',
    fields: [
      {
        id,
        locator: CORE,
        property: 'ratio',
        definition,
        fallback: { from: 'nothing', view: null },
        isNeeded: false,
        mark: null,
      },
    ],
  },
]

test('a number that is typed in part comes back as it was', () => {
  const draft = {
    personId: 'olivia',
    place: { kind: 'UPGRADE', bundleInstallId: 'one', version: '2.0.0' },
    title: 'CRM',
  } as const
  const edit = { kind: 'unfinished', text: '1e', isPartialNumber: true } as const
  writeFormDraft(draft, resources, { edits: { [id]: new FormEdit(edit) }, reason: '' }, null)
  expect(readFormDraft(draft, resources)?.values.edits[id]?.read()).toEqual(edit)
})

test('what was typed for another version stays until that version is chosen again', () => {
  const [core] = resources
  const [field] = core?.fields ?? []
  if (core === undefined || field === undefined) throw new Error('There is no field')
  const newer = fieldId(CORE, 'newer')
  const withNewer = [{ ...core, fields: [field, { ...field, id: newer, property: 'newer' }] }]
  const edit = { kind: 'unfinished', text: '1e', isPartialNumber: true } as const
  const draft = {
    personId: 'olivia',
    place: { kind: 'UPGRADE', bundleInstallId: 'one', version: '3.0.0' },
    title: 'CRM',
  } as const
  writeFormDraft(draft, withNewer, { edits: { [newer]: new FormEdit(edit) }, reason: '' }, null)
  writeFormDraft(draft, resources, { edits: {}, reason: 'For the new branch' }, null)
  expect(readFormDraft(draft, resources)?.values).toEqual({ edits: {}, reason: 'For the new branch' })
  expect(readFormDraft(draft, withNewer)?.values.edits[newer]?.read()).toEqual(edit)
  writeFormDraft(draft, withNewer, { edits: {}, reason: '' }, null)
  expect(readFormDraft(draft, withNewer)).toBeNull()
})
