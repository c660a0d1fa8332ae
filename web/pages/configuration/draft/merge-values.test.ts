import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { deepEqual } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { mergeJson, mergeValues } from './merge-values.ts'
import { data, hidden } from '../testing.ts'

describe('merging both changes of one value', () => {
  it('combines changes at different paths', () => {
    assert.deepEqual(
      mergeJson({ a: 1, b: { c: 1, d: 1 } }, { a: 2, b: { c: 1, d: 1 } }, { a: 1, b: { c: 9, d: 1, e: 3 } }),
      { a: 2, b: { c: 9, d: 1, e: 3 } },
    )
    assert.deepEqual(mergeJson({ a: 1, b: 1 }, { b: 1 }, { a: 1, b: 2 }), { b: 2 })
  })

  it('gives up where they overlap', () => {
    assert.equal(mergeJson({ a: 1 }, { a: 2 }, { a: 3 }), undefined)
    assert.equal(mergeJson({ a: 1 }, {}, { a: 3 }), undefined)
    assert.equal(mergeJson([1, 2], [1, 2, 3], [0, 1, 2]), undefined)
  })

  it('is not offered for hidden or removed values, or values of different types', () => {
    const mine = { kind: 'set', value: { '@type': 'Data', value: { a: 1, b: 2 } } } as const
    assert.equal(mergeValues(hidden(true), hidden(true), mine), null)
    assert.equal(mergeValues(data({ a: 1 }), null, mine), null)
    assert.equal(mergeValues(data({ a: 1 }), data({ a: 2 }), { kind: 'removed' }), null)
    assert.deepEqual(mergeValues(data({ a: 1, b: 1 }), data({ a: 3, b: 1 }), mine), {
      kind: 'set',
      value: { '@type': 'Data', value: { a: 3, b: 2 } },
    })
  })

  it('contains every change of both sides, and nothing else', () => {
    // JSON.parse makes no objects without a prototype, and the assertion tells them apart
    const objects = { noNullPrototype: true }
    const value = fc.dictionary(
      fc.constantFrom('a', 'b', 'c'),
      fc.oneof(fc.nat(2), fc.dictionary(fc.constantFrom('x', 'y'), fc.nat(2), objects)),
      objects,
    )
    fc.assert(
      fc.property(value, value, value, (base, theirs, mine) => {
        const merged = mergeJson(base, theirs, mine)
        if (merged === undefined) return
        for (const key of new Set([...Object.keys(base), ...Object.keys(theirs), ...Object.keys(mine)])) {
          const [from, other, own, now]: (JsonValue | undefined)[] = [
            base,
            theirs,
            mine,
            merged as Record<string, JsonValue>,
          ].map((object) => object[key])
          if (deepEqual(from, other)) assert.deepEqual(now, own)
          else if (deepEqual(from, own)) assert.deepEqual(now, other)
        }
      }),
    )
  })
})
