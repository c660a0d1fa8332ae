import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFormControl } from 'react-hook-form'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { setData, type Edit, editsIn, FormEdit, type PropertyFormValues } from './property-edit.ts'
import { fieldId } from './property-place.ts'
import { propertyResolver } from './edit-error.ts'

const port: PropertyDefinition = {
  kind: 'DATA',
  schema: { type: 'integer', maximum: 65_535 },
  required: true,
}
const anything: PropertyDefinition = { kind: 'DATA', schema: true }
const LOCATOR = 'production/crm.suite/MODULE/crm-mail'
const [PORT, NOTES, GONE] = [
  fieldId(LOCATOR, 'smtp.port'),
  fieldId(LOCATOR, 'notes'),
  fieldId(LOCATOR, 'gone'),
]
const definitions = new Map([
  [PORT, port],
  [NOTES, anything],
])

type Values = PropertyFormValues & { reason: string }

const formWith = () =>
  createFormControl<Values>({
    defaultValues: { edits: {}, reason: '' },
    resolver: propertyResolver<Values>({ definitionOf: (id) => definitions.get(id), required: [PORT] }),
  })

/** Submits the form. Returns what is sent, or the error types by field. */
async function submit(form: ReturnType<typeof formWith>) {
  let sent: Values | undefined
  await form.handleSubmit((values) => (sent = values))()
  const errors = Object.entries(form.getErrors().edits ?? {}).map(([id, error]) => [id, error?.type])
  return { sent, errors: Object.fromEntries(errors) as Record<string, string> }
}

const toFormEdit = (edit: Edit) => new FormEdit(edit)

test('a required property without an edit is missing, and one with an invalid edit is invalid', async () => {
  const form = formWith()
  assert.deepEqual((await submit(form)).errors, { [PORT]: 'missing' })
  for (const edit of [
    setData(port, 70_000),
    { kind: 'unfinished', text: '4.' },
    { kind: 'removed' },
  ] as const) {
    form.setValue(`edits.${PORT}`, toFormEdit(edit))
    assert.deepEqual(await submit(form), { sent: undefined, errors: { [PORT]: 'invalid' } })
  }
})

test('an edit of a property outside the form is not checked', async () => {
  const form = formWith()
  form.setValue(`edits.${PORT}`, toFormEdit(setData(port, 25)))
  form.setValue(`edits.${GONE}`, toFormEdit({ kind: 'unfinished', text: '{' }))
  assert.deepEqual((await submit(form)).errors, {})
})

test('the identical edit is submitted, with every key of a JSON document', async () => {
  const form = formWith()
  const document = setData(anything, JSON.parse('{"a.b":{"0":[1,{"__proto__":{"x":1},"c":null}]}}'))
  const edit = setData(port, 25)
  form.setValue(`edits.${PORT}`, toFormEdit(edit))
  form.setValue(`edits.${NOTES}`, toFormEdit(document))
  const { sent } = await submit(form)
  assert.ok(sent)
  const edits = editsIn(sent)
  assert.equal(edits.get(PORT), edit)
  assert.equal(edits.get(NOTES), document)
  assert.match(JSON.stringify(edits.get(NOTES)), /"__proto__":\{"x":1\}/)
})

test('a field that was reset has no edit', async () => {
  const form = formWith()
  form.setValue(`edits.${NOTES}`, toFormEdit({ kind: 'removed' }))
  form.setValue(`edits.${NOTES}`, null)
  assert.deepEqual([...editsIn(form.getValues())], [])
})
