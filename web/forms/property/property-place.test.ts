import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createFormControl } from 'react-hook-form'
import { fieldId, parseFieldId } from './property-place.ts'

test('every pair of texts survives the round trip, and different pairs get different ids', () => {
  const text = fc.string({ unit: 'binary', maxLength: 40 })
  const pair = fc.tuple(text, text)
  fc.assert(
    fc.property(pair, pair, ([locator, property], [otherLocator, otherProperty]) => {
      const id = fieldId(locator, property)
      assert.deepEqual(parseFieldId(id), { locator, property })
      assert.match(id, /^\w+$/)
      const isSame = locator === otherLocator && property === otherProperty
      assert.equal(fieldId(otherLocator, otherProperty) === id, isSame)
    }),
    { numRuns: 2000 },
  )
})

test('underscores and escapes in a name are not decoded', () => {
  for (const [locator, property] of [
    ['a_002eb', '_'],
    ['a', '__proto__'],
    ['_', '_002e'],
    ['production/crm.suite/MODULE/crm-mail', 'smtp.port'],
  ] as const)
    assert.deepEqual(parseFieldId(fieldId(locator, property)), { locator, property })
})

test('a form stores values under these ids without nesting or losing any', async () => {
  const ids = [
    fieldId('production/crm.suite/MODULE/crm-mail', 'smtp.port'),
    fieldId('production/crm.suite/MODULE/crm-mail', 'smtp'),
    fieldId("a['b']", '0'),
    fieldId('', '__proto__'),
  ]
  const form = createFormControl<{ edits: Record<string, string> }>({ defaultValues: { edits: {} } })
  for (const id of ids) {
    form.register(`edits.${id}`)
    form.setValue(`edits.${id}`, `value of ${id}`)
  }
  let submitted = {}
  await form.handleSubmit(({ edits }) => (submitted = edits))()
  assert.deepEqual(submitted, Object.fromEntries(ids.map((id) => [id, `value of ${id}`])))
})

test('other texts are not parsed as ids', () => {
  assert.equal(parseFieldId('reason'), null)
})
