import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { deepEqual } from './json.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { inSchemaOrder } from './key-order.ts'

const text = (schema: JsonValue, value: JsonValue): string => JSON.stringify(inSchemaOrder(schema, value))
const any = { type: 'integer' }

/** A schema that counts how often its branches are looked at. */
function counting(branches: JsonObject): { counted: JsonObject; reads: () => number } {
  let count = 0
  const get = (target: JsonObject, name: string) => {
    if (name in branches) count += 1
    return target[name]
  }
  return {
    counted: new Proxy(branches, { get: (target, name) => get(target, String(name)) }),
    reads: () => count,
  }
}

describe('inSchemaOrder', () => {
  it('takes the order of properties, then the order of the value', () => {
    const schema = { properties: { volumes: any, enabled: any, a: any } }
    assert.equal(
      text(schema, { a: 1, z: 2, enabled: 3, b: 4, volumes: 5 }),
      '{"volumes":5,"enabled":3,"a":1,"z":2,"b":4}',
    )
  })

  it('goes into objects, lists and maps', () => {
    const size = { properties: { width: any, a: any } }
    const value = { a: 1, width: 2 }
    const expected = '{"width":2,"a":1}'
    assert.equal(text({ properties: { inner: size } }, { inner: value }), `{"inner":${expected}}`)
    assert.equal(text({ items: size }, [value]), `[${expected}]`)
    assert.equal(
      text({ prefixItems: [true, size], items: any }, [value, value]),
      `[{"a":1,"width":2},${expected}]`,
    )
    assert.equal(text({ additionalProperties: size }, { x: value }), `{"x":${expected}}`)
    assert.equal(text({ additionalProperties: { items: size } }, { x: [value] }), `{"x":[${expected}]}`)
  })

  it('follows references and branches', () => {
    const value = { a: 1, b: 2, c: 3 }
    const properties = { c: any, b: any }
    const expected = '{"c":3,"b":2,"a":1}'
    assert.equal(text({ $ref: '#/$defs/one', $defs: { one: { properties } } }, value), expected)
    assert.equal(text({ $ref: '#/$defs/a~1b', $defs: { 'a/b': { properties } } }, value), expected)
    for (const branch of ['allOf', 'anyOf', 'oneOf'])
      assert.equal(text({ [branch]: [{}, { properties }] }, value), expected)
    assert.equal(text({ if: {}, else: { properties } }, value), expected)
    assert.equal(text({ properties: { c: any }, allOf: [{ properties: { b: any } }] }, value), expected)
  })

  it('ends for schemas that refer to themselves or to nothing', () => {
    const tree = { properties: { name: any, children: { items: { $ref: '#' } } }, allOf: [{ $ref: '#' }] }
    const value = { children: [{ children: [], name: 1 }], name: 2 }
    assert.equal(text(tree, value), '{"name":2,"children":[{"name":1,"children":[]}]}')
    for (const $ref of ['#/nothing', '#/%', 'other', '#anchor', '#/$defs/a/b/c'])
      assert.equal(text({ $ref, $defs: { a: 1 } }, { b: 1, a: 2 }), '{"b":1,"a":2}', $ref)
  })

  it('leaves a value as it is where there is no schema', () => {
    for (const schema of [true, false, {}, { type: 'object' }, null, 1])
      assert.equal(
        text(schema, { b: { d: 1, c: 2 }, a: [{ z: 1, y: 2 }] }),
        '{"b":{"d":1,"c":2},"a":[{"z":1,"y":2}]}',
      )
  })

  it('looks at the schemas of a list once, not again for each item (J01)', () => {
    const branches = Array.from({ length: 6_000 }, () => ({ properties: { b: any } }))
    const list: JsonValue = Array.from({ length: 6_000 }, () => ({ a: 1, b: 2 }))
    const { counted, reads } = counting({ allOf: branches })
    assert.match(text({ items: { if: true, else: counted } }, list), /^\[\{"b":2,"a":1\}/)
    assert.ok(reads() < 10, `it was looked at ${reads()} times`)
    // more branches than are looked at leave the order as it is
    const many = { else: { allOf: Array.from({ length: 150_000 }, () => ({ properties: { b: any } })) } }
    assert.equal(text(many, { a: 1, b: 2 }), '{"a":1,"b":2}')
  })

  it('takes the order of one definition for each of many members', () => {
    const names = Array.from({ length: 60 }, (_, at) => `n${at}`)
    const properties = Object.fromEntries(names.map((name) => [name, any]))
    const of = (reference: JsonValue): JsonValue => ({
      properties: Object.fromEntries(names.map((name) => [name, reference])),
      $defs: { part: { $ref: '#/$defs/real' }, real: { properties } },
    })
    const part = Object.fromEntries(names.toReversed().map((name) => [name, 1]))
    const value = Object.fromEntries(names.map((name) => [name, part]))
    const expected = JSON.stringify(
      Object.fromEntries(names.map((name) => [name, Object.fromEntries(names.map((one) => [one, 1]))])),
    )
    for (const reference of [{ $ref: '#/$defs/part' }, { $ref: '#/$defs/real', title: 'A part' }])
      assert.equal(text(JSON.parse(JSON.stringify(of(reference))) as JsonValue, value), expected)
  })

  it('looks at few schemas for each of very many values (J01)', () => {
    const treeOf = (depth: number): JsonValue =>
      depth === 0 ? {} : { x: treeOf(depth - 1), y: treeOf(depth - 1) }
    // what says more than the reference is a schema of its own
    for (const more of [{}, { items: any }]) {
      const part = { $ref: '#/$defs/part', ...more }
      const branches = Array.from({ length: 20 }, () => ({ properties: { y: { ...part }, x: { ...part } } }))
      const { counted, reads } = counting({ anyOf: branches })
      assert.match(text({ ...part, $defs: { part: counted } }, treeOf(8)), /^\{"y":\{"y":/)
      assert.ok(reads() < 100, `it was looked at ${reads()} times`)
    }
  })

  it('changes no value', () => {
    const keys = fc.constantFrom('a', 'b', 'c', '1', 'constructor')
    const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.integer(),
        fc.dictionary(keys, tie('value')),
        fc.array(tie('value'), { maxLength: 3 }),
      ),
    }))
    const { schema } = fc.letrec<{ schema: JsonValue }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 4 },
        fc.boolean(),
        fc.record(
          {
            properties: fc.dictionary(keys, tie('schema')),
            items: tie('schema'),
            $ref: fc.constantFrom('#', '#/items', 'x'),
          },
          { requiredKeys: [] },
        ),
        fc.record(
          { anyOf: fc.array(tie('schema'), { maxLength: 2 }), additionalProperties: tie('schema') },
          { requiredKeys: [] },
        ),
      ),
    }))
    fc.assert(
      fc.property(schema, value, (one, other) => {
        assert.ok(deepEqual(inSchemaOrder(one, other), other))
      }),
      { numRuns: 2000 },
    )
  })
})
