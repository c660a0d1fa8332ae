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
