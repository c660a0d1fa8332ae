import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { innerKind } from './control-kind.ts'
import { firstValue } from './inner-value.ts'
import { withoutNull } from './shape.ts'

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
