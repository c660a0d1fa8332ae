import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { JsonValue } from './json.ts'
import { diffJson } from './diff-json.ts'

/** `changed a/2 1 → 2` */
const lines = (before: JsonValue | undefined, after: JsonValue | undefined) =>
  diffJson(before, after).map((change) => {
    const place = change.steps.map((step) => (typeof step === 'string' ? step : (step.key ?? step.position)))
    const text = (value: JsonValue | undefined) => JSON.stringify(value) ?? '-'
    const sides =
      change.kind === 'moved'
        ? `${change.from} → ${change.to}`
        : `${text(change.before)} → ${text(change.after)}`
    return `${change.kind} ${place.join('/')} ${sides}`
  })

test('each leaf that differs is one line', () => {
  assert.deepEqual(lines({ city: 'a', zip: 1, street: 's' }, { city: 'b', street: 's', land: 'x' }), [
    'changed city "a" → "b"',
    'removed zip 1 → -',
    'added land - → "x"',
  ])
  assert.deepEqual(lines(1, 1), [])
  assert.deepEqual(lines(undefined, { a: 1 }), ['added  - → {"a":1}'])
  assert.deepEqual(lines({ a: [1] }, { a: { b: 1 } }), ['changed a [1] → {"b":1}'])
})

test('items are added, removed, moved and changed as such', () => {
  assert.deepEqual(lines(['a', 'b', 'c'], ['c', 'a', 'b']), ['moved 1 3 → 1'])
  assert.deepEqual(lines(['a', 'b', 'c'], ['a', 'c', 'd']), ['removed 2 "b" → -', 'added 3 - → "d"'])
  assert.deepEqual(lines(['a', 'b'], ['a', 'x']), ['changed 2 "b" → "x"'])
  assert.deepEqual(
    lines(
      [
        { code: 'de', rate: 19 },
        { code: 'at', rate: 20 },
      ],
      [
        { code: 'at', rate: 21 },
        { code: 'de', rate: 19 },
      ],
    ),
    ['moved at 2 → 1', 'changed at/rate 20 → 21'],
  )
})

test('of very many items that replace others, all are removed and added', () => {
  const items = (count: number, rate: number) =>
    Array.from({ length: count }, (_, index) => ({ city: `city ${index}`, rate }))
  const kinds = (count: number) =>
    new Set(diffJson(items(count, 1), items(count - 1, 2)).map(({ kind }) => kind))
  assert.deepEqual(kinds(10), new Set(['removed', 'changed']))
  assert.deepEqual(kinds(400), new Set(['removed', 'added']))
})

test('there are lines if and only if two values differ, and the same places from the other side', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (one, other) => {
      const [before, after] = [one as JsonValue, other as JsonValue]
      assert.deepEqual(diffJson(before, before), [])
      const changed = diffJson(before, after)
      assert.equal(
        changed.length === 0,
        JSON.stringify(before) === JSON.stringify(after) || isEqual(before, after),
      )
      const isMove = ({ kind }: { kind: string }) => kind === 'moved'
      const back = diffJson(after, before)
      assert.equal(
        back.filter((change) => !isMove(change)).length,
        changed.filter((change) => !isMove(change)).length,
      )
    }),
  )
})

function isEqual(one: JsonValue, other: JsonValue): boolean {
  try {
    assert.deepEqual(one, other)
    return true
  } catch {
    return false
  }
}
