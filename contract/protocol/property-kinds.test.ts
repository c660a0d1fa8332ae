import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isReferenceKind, kindOfReference, listTypes, PROPERTY_KINDS, typeOfKind } from './property-kinds.ts'
import { Reference, TypedValue } from './typed-value.ts'

test('messages list the types of values with the separators of a language', () => {
  assert.equal(listTypes('all'), 'Data, ServiceReference, ServiceReferenceMap or ServiceReferenceList')
  assert.equal(listTypes('references'), 'ServiceReference, ServiceReferenceMap or ServiceReferenceList')
  assert.equal(
    listTypes('all', { list: '、', or: ' 或 ' }),
    'Data、ServiceReference、ServiceReferenceMap 或 ServiceReferenceList',
  )
})

test('values and kinds have the same types', () => {
  const typesOf = (options: readonly { shape: { '@type': { value: string } } }[]) =>
    options.map(({ shape }) => shape['@type'].value)
  const types = PROPERTY_KINDS.map(typeOfKind)
  assert.deepEqual(typesOf(TypedValue.options), [...new Set(types)])
  assert.deepEqual(typesOf(Reference.options), PROPERTY_KINDS.filter(isReferenceKind).map(typeOfKind))
  for (const { shape } of Reference.options) {
    const type = shape['@type'].value
    assert.equal(typeOfKind(kindOfReference(type)), type)
  }
})
