import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkValue } from '#contract/json-schema/json-schema.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { innerKind, schemaOf } from './control-kind.ts'
import { firstValue } from './inner-value.ts'
import { variantOf } from './inner-value.ts'
import { membersOf, readSchema, variantsOf, withoutNull } from './schema-parts.ts'
import { boundWork } from '../../../lab/verification/bound-work.ts'

test('the value beside null has neither null as its default nor null among its choices', () => {
  const cases: [schema: JsonObject, other: JsonObject][] = [
    [{ type: ['string', 'null'], default: null }, { type: 'string' }],
    [
      { type: ['string', 'null'], enum: ['a', 'b', null], default: 'b' },
      { type: 'string', enum: ['a', 'b'], default: 'b' },
    ],
    [
      { anyOf: [{ type: 'integer', minimum: 3 }, { type: 'null' }], default: null },
      { type: 'integer', minimum: 3 },
    ],
  ]
  for (const [schema, other] of cases) assert.deepEqual(withoutNull(schema), other)
})

test('a value that replaces null is never null, and one of several texts is a choice', () => {
  const choice = withoutNull({ type: ['string', 'null'], enum: ['a', 'b', null], default: null })
  assert.ok(choice)
  assert.equal(innerKind(choice), 'choice')
  assert.equal(firstValue(choice), 'a')
  assert.equal(firstValue(withoutNull({ type: ['number', 'null'], minimum: 2, default: null }) ?? {}), 2)
})

test('the control of a schema follows what it allows', () => {
  const text = { type: 'string' }
  const cases: [schema: JsonObject, kind: string][] = [
    [{ type: 'object', additionalProperties: text }, 'map'],
    [{ additionalProperties: { type: 'number' } }, 'map'],
    [{ type: 'object' }, 'map'],
    [{ type: 'object', patternProperties: { '^x-': text } }, 'map'],
    [{ type: 'object', additionalProperties: false }, 'json'],
    [{ type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }] }, 'map'],
    [{ type: 'object', properties: { free: {} } }, 'object'],
    [{ type: 'object', properties: { a: text }, if: { required: ['a'] } }, 'object'],
    [{ type: ['object', 'null'] }, 'nullable'],
    [{ type: 'array' }, 'list'],
    [{ type: 'array', prefixItems: [text] }, 'json'],
    [{ type: ['string', 'boolean'] }, 'variants'],
    [{ type: ['string', 'integer', 'null'] }, 'variants'],
    [{ type: ['string', 'null'] }, 'nullable'],
    [{ enum: ['', 'a'] }, 'choice'],
    [{}, 'json'],
  ]
  for (const [schema, kind] of cases) assert.equal(innerKind(schema), kind, JSON.stringify(schema))
})

test('what a reference leads to is in its place, with what stands beside it', () => {
  const read = (schema: JsonObject) => schemaOf({ kind: 'DATA', schema })
  const $defs = { port: { type: 'integer', title: 'Port' }, chain: { $ref: '#/$defs/port' } }
  assert.deepEqual(read({ $ref: '#/$defs/chain', title: 'HTTP port', $defs }), {
    type: 'integer',
    title: 'HTTP port',
    $defs,
  })
  const member = (schema: JsonObject) => membersOf(read(schema))?.[0]?.schema
  const anchored = { $anchor: 'here', type: 'boolean' }
  assert.equal(
    innerKind(member({ properties: { a: { $ref: '#here' } }, $defs: { anchored } }) ?? {}),
    'switch',
  )
  assert.equal(
    innerKind(member({ properties: { a: { $ref: '#/properties/b' }, b: { type: 'number' } } }) ?? {}),
    'number',
  )
  assert.equal(innerKind(member({ properties: { a: { $ref: '#' } } }) ?? {}), 'object')
  assert.equal(
    innerKind(
      member({
        properties: { a: { $ref: '#/definitions/a~1b%25' } },
        definitions: { 'a/b%': { type: 'string' } },
      }) ?? {},
    ),
    'text',
  )
  // one schema cannot say both
  const restricted = { $ref: '#/$defs/port', type: 'number', $defs }
  assert.equal(innerKind(read(restricted)), 'json')
})

test('a part of a schema with references is checked like the whole', () => {
  const whole: JsonObject = {
    properties: { a: { items: { $ref: '#/definitions/port' } } },
    definitions: { port: { type: 'integer' } },
  }
  const part = membersOf(schemaOf({ kind: 'DATA', schema: whole }))?.[0]?.schema ?? {}
  assert.deepEqual(
    checkValue(part, ['x']).map(({ path }) => path),
    ['/0'],
  )
})

test('a type of several is chosen with a value and a default of that type', () => {
  const variants =
    variantsOf({ type: ['string', 'integer', 'null'], default: 80, enum: [80, 'http', null] }) ?? []
  assert.deepEqual(variants.map(firstValue), ['http', 80, null])
  assert.equal(variantOf(variants, 80), 1)
  assert.equal(variantOf(variants, null), 2)
})

test('a schema with too many variants inside its variants is JSON, and says so at once', () => {
  const chain = (levels: number, variant: (next: JsonObject) => JsonObject[]): JsonObject => {
    const names = Array.from({ length: levels }, (_, index) => `d${index}`)
    const $defs = Object.fromEntries(
      names.map((name, index) => [name, { oneOf: variant({ $ref: `#/$defs/d${index + 1}` }) }]),
    )
    return { $defs: { ...$defs, [`d${levels}`]: { type: 'string' } }, $ref: '#/$defs/d0' }
  }
  const both = (next: JsonObject) => [next, { ...next, title: 'again' }]
  const kindOf = (schema: JsonObject) => innerKind(schemaOf({ kind: 'DATA', schema }))
  assert.equal(kindOf(chain(5, both)), 'variants')
  assert.equal(kindOf(chain(14, both)), 'json')
  assert.equal(kindOf(chain(30, both)), 'json')
  // a type or null beside it changes nothing
  assert.equal(kindOf(chain(30, (next) => [next, next, { type: 'null' }])), 'json')
  // many levels with one way through them are no trouble
  assert.equal(kindOf(chain(30, (next) => [{ type: 'number' }, next])), 'variants')
})

test('a schema with very many branches is read at once, also if it refers to its parts', () => {
  const many = (of: (index: number) => JsonObject) => Array.from({ length: 10_000 }, (_, index) => of(index))
  const named = many((index) => ({ $anchor: `a${index}`, $ref: '#/properties/size' }))
  const schema = {
    properties: {
      size: { type: 'integer' },
      ...Object.fromEntries(named.map((held, index) => [index, held])),
    },
    allOf: many((index) => ({ $ref: `#a${index}` })),
  }
  const endWork = boundWork(3)
  const { properties, allOf } = readSchema(schema)
  assert.deepEqual(Object.keys(properties ?? {}).length, 10_001)
  assert.deepEqual(Object.values(allOf ?? {})[7], { $ref: '#/$defs/%23a7' })
  endWork()
})
