import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { deepEqual, isJsonObject, isJsonValue } from './json.ts'
import type { JsonValue } from './json.ts'

const json = fc.jsonValue() as fc.Arbitrary<JsonValue>

test('a value equals its round trip through JSON', () => {
  fc.assert(fc.property(json, (value) => deepEqual(value, JSON.parse(JSON.stringify(value)) as JsonValue)))
})

test('equality agrees with a canonical form', () => {
  const canonical = (value: JsonValue): string =>
    JSON.stringify(value, (_, held: unknown) =>
      isJsonObject(held)
        ? Object.fromEntries(Object.entries(held).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : held,
    )
  fc.assert(
    fc.property(json, json, (a, b) => {
      assert.equal(deepEqual(a, b), canonical(a) === canonical(b))
    }),
  )
})

const equal: [JsonValue | undefined, JsonValue | undefined][] = [
  [1, JSON.parse('1.0') as JsonValue],
  [100, JSON.parse('1e2') as JsonValue],
  [0, -0],
  [
    { a: 1, b: 2 },
    { b: 2, a: 1 },
  ],
  [[], []],
  [undefined, undefined],
]
const different: [JsonValue | undefined, JsonValue | undefined][] = [
  [1, '1'],
  [0, false],
  [null, undefined],
  [null, {}],
  [[], {}],
  [{}, []],
  [
    [1, 2],
    [2, 1],
  ],
  [[1], [1, 1]],
  [{ a: 1 }, { b: 1 }],
  [{ a: null }, {}],
  [{ toString: 1 }, {}],
  [JSON.parse('{"__proto__": 1}') as JsonValue, {}],
  ['é', 'e\u0301'],
]

test('equality of JSON values', () => {
  for (const [a, b] of equal)
    assert.ok(deepEqual(a, b) && deepEqual(b, a), `${JSON.stringify(a)} and ${JSON.stringify(b)}`)
  for (const [a, b] of different)
    assert.ok(!deepEqual(a, b) && !deepEqual(b, a), `${JSON.stringify(a)} and ${JSON.stringify(b)}`)
})

test('deep nesting does not use the call stack', () => {
  const nest = (): JsonValue => {
    let value: JsonValue = []
    for (let depth = 0; depth < 200_000; depth += 1) value = [value]
    return value
  }
  assert.ok(isJsonValue(nest()))
  assert.ok(deepEqual(nest(), nest()))
})

test('a value that JSON cannot represent is not a JSON value', () => {
  const cycle: unknown[] = []
  cycle.push({ cycle })
  for (const value of [
    undefined,
    Number.NaN,
    Infinity,
    1n,
    () => 1,
    new Date(0),
    new Map(),
    [undefined],
    { a: undefined },
    Array(1),
    cycle,
  ])
    assert.ok(!isJsonValue(value))
  const shared = { a: 1 }
  for (const value of [
    null,
    '',
    0,
    false,
    [],
    {},
    Object.create(null),
    [shared, shared],
    JSON.parse('{"__proto__": []}'),
  ])
    assert.ok(isJsonValue(value))
})
