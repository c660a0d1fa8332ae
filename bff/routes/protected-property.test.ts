import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hideProtectedProperty } from '#contract/protocol/protected-property.ts'
import { findProtectedProperty } from './endpoints.ts'

const data = (value: unknown) => ({ '@type': 'Data', value })

test('the property is hidden as a property, and left alone as business data', () => {
  const inside = data({ instanceRefProperty: 'business', list: ['instanceRefProperty'] })
  const answer = {
    resources: {
      'a/b/MODULE/c': {
        properties: { instanceRefProperty: data('x'), name: inside },
        definitions: {
          instanceRefProperty: { kind: 'DATA' },
          name: {
            kind: 'DATA',
            schema: { properties: { instanceRefProperty: {} } },
            default: 'instanceRefProperty',
          },
        },
      },
    },
    changes: [{ property: 'instanceRefProperty' }, { property: 'name', before: null, after: inside }],
    plugins: [
      {
        readProperties: ['instanceRefProperty', 'name'],
        configuration: { values: { instanceRefProperty: 1 } },
      },
    ],
  }
  assert.deepEqual(hideProtectedProperty(answer), {
    resources: {
      'a/b/MODULE/c': {
        properties: { name: inside },
        definitions: {
          name: {
            kind: 'DATA',
            schema: { properties: { instanceRefProperty: {} } },
            default: 'instanceRefProperty',
          },
        },
      },
    },
    changes: [{ property: 'name', before: null, after: inside }],
    plugins: [{ readProperties: ['name'], configuration: { values: { instanceRefProperty: 1 } } }],
  })
})

test('a message that contains its name says “a protected property” instead', () => {
  const failure = {
    errorCode: 'X',
    message: 'It lacks instanceRefProperty. The instanceRefPropertyOf is fine.',
  }
  assert.deepEqual(hideProtectedProperty({ items: [{ failure, attempts: [{ failure }] }] }), {
    items: [
      {
        failure: { ...failure, message: 'It lacks a protected property. The instanceRefPropertyOf is fine.' },
        attempts: [
          {
            failure: {
              ...failure,
              message: 'It lacks a protected property. The instanceRefPropertyOf is fine.',
            },
          },
        ],
      },
    ],
  })
})

test('a write to it is found under any locator, and a value that contains the word is not', () => {
  const named = { 'any text at all': { instanceRefProperty: data(1) } }
  assert.deepEqual(findProtectedProperty({ changes: named }), [{ locator: 'any text at all' }])
  assert.deepEqual(findProtectedProperty({ properties: named }), [{ locator: 'any text at all' }])
  assert.deepEqual(
    findProtectedProperty({ resources: { x: { properties: { instanceRefProperty: null } } } }),
    [{ locator: 'x' }],
  )
  assert.deepEqual(findProtectedProperty({ values: { instanceRefProperty: 1 } }), [{}])
  assert.deepEqual(findProtectedProperty({ changes: { x: { name: data({ instanceRefProperty: 1 }) } } }), [])
  assert.deepEqual(findProtectedProperty({ values: { name: { instanceRefProperty: 1 } } }), [])
  for (const body of [undefined, null, [], 'text', { changes: null }])
    assert.deepEqual(findProtectedProperty(body), [])
})
