import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { fieldId } from '../../forms/property/property-place.ts'
import { type Edit, FormEdit } from '../../forms/property/property-edit.ts'
import { renderInConsole } from '../../testing/render.tsx'
import { readFormDraft, writeFormDraft } from './form-draft.ts'
import { useFormDraft } from './use-form-draft.ts'
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

test.each<Edit>([
  { kind: 'unfinished', text: '1e', isPartialNumber: true },
  {
    kind: 'unfinished',
    text: '{}',
    inside: {
      value: { a: [1] },
      parts: { '/a': { key: 'b' }, '/a/0': { text: '1e', isPartialNumber: true } },
    },
  },
])('what is typed in part comes back as it was: %j', (edit) => {
  const draft = {
    personId: 'olivia',
    place: { kind: 'UPGRADE', bundleInstallId: 'one', version: '2.0.0' },
    title: 'CRM',
  } as const
  writeFormDraft(draft, resources, { values: { edits: { [id]: new FormEdit(edit) }, reason: '' } }, null)
  expect(readFormDraft(draft, resources)?.values.edits[id]?.read()).toEqual(edit)
})

test('what was typed for another version stays until that version is chosen again', () => {
  const [core] = resources
  const [field] = core?.fields ?? []
  if (core === undefined || field === undefined) throw new Error('There is no field')
  const newer = fieldId(CORE, 'newer')
  const withNewer = [{ ...core, fields: [field, { ...field, id: newer, property: 'newer' }] }]
  const edit = { kind: 'unfinished', text: '1e', isPartialNumber: true } as const
  const of = (version: string) =>
    ({
      personId: 'olivia',
      place: { kind: 'UPGRADE', bundleInstallId: 'one', version },
      title: 'CRM',
    }) as const
  const stored = () =>
    Object.values({ ...localStorage }).map((text) => JSON.parse(String(text)) as { place: unknown })
  writeFormDraft(
    of('3.0.0'),
    withNewer,
    { values: { edits: { [newer]: new FormEdit(edit) }, reason: '' } },
    5,
  )
  writeFormDraft(of('2.0.0'), resources, { values: { edits: {}, reason: 'For the new branch' } }, null)
  expect(readFormDraft(of('2.0.0'), resources)).toMatchObject({
    values: { edits: {}, reason: 'For the new branch' },
    base: 5,
  })
  const restored = readFormDraft(of('3.0.0'), withNewer)
  expect([restored?.values.edits[newer]?.read(), restored?.base]).toEqual([edit, 5])

  // the draft then leads to the version that it is for
  writeFormDraft(of('2.0.0'), resources, { values: { edits: {}, reason: '' } }, null)
  expect(stored()).toMatchObject([{ place: of('3.0.0').place, base: 5 }])
  writeFormDraft(of('3.0.0'), withNewer, { values: { edits: {}, reason: '' } }, null)
  expect(stored()).toEqual([])
})

test('a version adds what is stored for it to what another version hands over', async () => {
  const draft = {
    place: { kind: 'UPGRADE', bundleInstallId: 'one', version: '2.0.0' },
    title: 'CRM',
  } as const
  const edit = { kind: 'unfinished', text: '1e', isPartialNumber: true } as const
  writeFormDraft(
    { ...draft, personId: 'olivia' },
    resources,
    { values: { edits: { [id]: new FormEdit(edit) }, reason: '' } },
    5,
  )
  const input = { values: { edits: {}, reason: 'For the new branch' } }
  function Seen() {
    const { initial, restored } = useFormDraft(draft, resources, input)
    return <output>{JSON.stringify([initial?.reason, initial?.edits[id]?.read(), restored?.base])}</output>
  }
  await renderInConsole(<Seen />)
  await expect
    .element(page.getByRole('status'))
    .toHaveTextContent(JSON.stringify(['For the new branch', edit, 5]))
})

test('what is ticked of a copied configuration is kept, also if nothing else is entered', () => {
  const draft = {
    personId: 'olivia',
    place: { kind: 'INSTALL', search: { bundleEnvironmentKey: 'development', bundleId: 'ticked' } },
    title: 'CRM',
  } as const
  const values = { edits: {}, reason: '' }
  writeFormDraft(draft, resources, { values, ticked: new Set([id]) }, null)
  expect(readFormDraft(draft, resources)?.ticked).toEqual(new Set([id]))
  writeFormDraft(draft, resources, { values, ticked: new Set() }, null)
  expect(readFormDraft(draft, resources)).toBe(null)
})
