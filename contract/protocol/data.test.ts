import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import * as helpers from './data.ts'
import type { JsonValue } from '../json-schema/json.ts'
import { Data, type TypedValue } from './typed-value.ts'

const json = fc.jsonValue() as fc.Arbitrary<JsonValue>
const names = fc.stringMatching(/^[a-z_][A-Za-z0-9_]{0,8}$/)

test('unwrapping a value that was wrapped twice leaves one wrapper', () => {
  fc.assert(
    fc.property(json, (value) => {
      const once = helpers.wrapData(value)
      const twice = helpers.wrapData(once)
      assert.deepEqual(Data.parse(JSON.parse(JSON.stringify(twice))).value, JSON.parse(JSON.stringify(once)))
      assert.deepEqual(helpers.decodeData({ twice }), { twice: once })
    }),
  )
})

test('decodeData undoes fromDataValues', () => {
  fc.assert(
    fc.property(fc.dictionary(names, json, { noNullPrototype: true }), (values) => {
      assert.deepEqual(helpers.decodeData(helpers.fromDataValues(values)), values)
    }),
  )
})

test('fromProperties undoes decode, including sensitive marks', () => {
  const properties = { a: helpers.wrapData(1), token: helpers.wrapSensitive('s') }
  const decoded = helpers.decode({ properties, references: {} })
  assert.deepEqual(helpers.fromProperties(decoded), properties)
})

test('decode shows properties and references in their wrappers', () => {
  const references = { mail: { '@type': 'ServiceReference' as const, serviceId: 'mailer' } }
  assert.deepEqual(helpers.decode({ properties: { a: helpers.wrapData(1) }, references }), {
    a: { '@type': 'Data', value: 1 },
    mail: { '@type': 'ServiceReference', serviceId: 'mailer' },
  })
})

test('fromDataValues marks the given names as sensitive', () => {
  assert.deepEqual(helpers.fromDataValues({ a: 1, b: 2 }, { sensitive: ['b'] }), {
    a: { '@type': 'Data', value: 1 },
    b: { '@type': 'Data', value: 2, isSensitive: true },
  })
})

test('rejects a bare value or a reference and names the property', () => {
  // JavaScript plugins can pass anything.
  for (const wrong of [
    1,
    null,
    undefined,
    {},
    { '@type': 'Data' },
    { '@type': 'ServiceReference', serviceId: 'a' },
  ]) {
    const properties = { tenant: wrong as unknown as TypedValue }
    assert.throws(() => helpers.fromProperties(properties), /Property tenant must be wrapped as Data/)
    assert.throws(() => helpers.decodeData(properties), /Property tenant must be wrapped as Data/)
  }
})

test('names from the prototype have no special meaning', () => {
  const values = JSON.parse('{"__proto__": 1}') as Record<string, JsonValue>
  assert.deepEqual(Object.keys(helpers.fromDataValues(values)), ['__proto__'])
})

test('isData and isReference', () => {
  assert.ok(helpers.isData(helpers.wrapData(1)))
  assert.ok(helpers.isReference({ '@type': 'ServiceReferenceList', valueList: [] }))
  assert.ok(!helpers.isReference(helpers.wrapData({ '@type': 'ServiceReference', serviceId: 'a' })))
})

test('referencedServices are distinct, in order', () => {
  const to = (serviceId: string) => ({ '@type': 'ServiceReference' as const, serviceId })
  assert.deepEqual(helpers.referencedServices(to('a')), ['a'])
  assert.deepEqual(
    helpers.referencedServices({ '@type': 'ServiceReferenceList', valueList: [to('b'), to('a'), to('b')] }),
    ['b', 'a'],
  )
  assert.deepEqual(
    helpers.referencedServices({
      '@type': 'ServiceReferenceMap',
      valueMap: { x: to('c'), y: to('c'), z: to('a') },
    }),
    ['c', 'a'],
  )
  assert.deepEqual(helpers.referencedServices({ '@type': 'ServiceReferenceMap', valueMap: {} }), [])
})
