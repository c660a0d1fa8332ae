import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { deepEqual } from './json.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { diffJson } from './diff-json.ts'
import { canonicalText } from './list-items.ts'
import { mergeJson, type JsonMerge, type Side } from './merge-json.ts'
import { boundWork } from '../../lab/verification/bound-work.ts'

const merge = (base: JsonValue, theirs: JsonValue, mine: JsonValue): JsonMerge =>
  mergeJson({ base, theirs, mine })
const whole = (base: JsonValue, theirs: JsonValue, mine: JsonValue): JsonValue | undefined => {
  const { value, conflicts } = merge(base, theirs, mine)
  assert.deepEqual(conflicts, [])
  return value
}
const paths = ({ conflicts }: JsonMerge) => conflicts.map(({ path, kind }) => `${kind} ${path}`)

describe('a merge of objects', () => {
  it('joins changes of different members, at any depth', () => {
    assert.deepEqual(
      whole({ a: 1, b: { c: 1, d: 1 } }, { a: 2, b: { c: 1, d: 1 } }, { a: 1, b: { c: 9, d: 1, e: 3 } }),
      { a: 2, b: { c: 9, d: 1, e: 3 } },
    )
    assert.deepEqual(whole({ a: 1, b: 1 }, { b: 1 }, { a: 1, b: 2 }), { b: 2 })
    assert.deepEqual(whole({}, { a: { x: 1 } }, { a: { y: 2 } }), { a: { x: 1, y: 2 } })
  })

  it('has the members in their order, and mine behind them', () => {
    assert.deepEqual(Object.keys(whole({ a: 1 }, { t: 1, a: 1 }, { m: 1, a: 1 }) as object), ['t', 'a', 'm'])
  })

  it('names the leaf that both changed, and keeps the other edits whichever is chosen', () => {
    const base = { city: 'Hamburg', vat: '', lines: ['a'] }
    const theirs = { city: 'Lübeck', vat: '', lines: ['a', 'b'] }
    const mine = { city: 'Kiel', vat: 'DE1', lines: ['a'] }
    assert.deepEqual(paths(merge(base, theirs, mine)), ['value /city'])
    const { value } = mergeJson({ base, theirs, mine }, () => 'theirs')
    assert.deepEqual(value, { city: 'Lübeck', vat: 'DE1', lines: ['a', 'b'] })
  })

  it('has a conflict where one removed what the other changed, and where the kinds of values differ', () => {
    assert.deepEqual(paths(merge({ a: { b: 1 }, c: 1 }, { c: 1 }, { a: { b: 2 }, c: 1 })), ['value /a'])
    assert.deepEqual(paths(merge({ a: { b: 1 } }, { a: 'text' }, { a: { b: 2 } })), ['value /a'])
    assert.deepEqual(mergeJson({ base: 1, theirs: undefined, mine: 2 }, () => 'theirs').value, undefined)
  })

  it('does not mistake a name of the prototype for a member', () => {
    const own = JSON.parse('{"__proto__": 1, "constructor": 2}') as JsonObject
    const merged = whole({}, { b: 2 }, own)
    assert.deepEqual(Object.keys(merged as object), ['b', '__proto__', 'constructor'])
  })
})

describe('a merge of lists', () => {
  it('keeps what both added, theirs first', () => {
    assert.deepEqual(whole(['a'], ['a', 't'], ['a', 'm', 'n']), ['a', 't', 'm', 'n'])
    assert.deepEqual(whole([], ['t'], ['m']), ['t', 'm'])
    assert.deepEqual(whole(['a', 'b'], ['b', 'a', 't'], ['m', 'a', 'n', 'b', 'o']), [
      'm',
      'b',
      'a',
      'n',
      't',
      'o',
    ])
    assert.deepEqual(whole(['a'], ['a', 'same'], ['a', 'same', 'm']), ['a', 'same', 'm'])
    assert.deepEqual(mergeJson({ base: undefined, theirs: ['t'], mine: ['m'] }).value, ['t', 'm'])
  })

  it('keeps a new order and an edit, with and without keys', () => {
    assert.deepEqual(whole(['a', 'b', 'c'], ['c', 'a', 'b'], ['a', 'b2', 'c']), ['c', 'a', 'b2'])
    const item = (id: string, rate: number) => ({ id, rate })
    assert.deepEqual(
      whole(
        [item('de', 19), item('at', 20), item('fr', 20)],
        [item('fr', 20), item('de', 19), item('at', 20)],
        [item('de', 19), item('at', 21), item('it', 22), item('fr', 21)],
      ),
      [item('fr', 21), item('de', 19), item('at', 21), item('it', 22)],
    )
  })

  it('keeps a removal and an edit of another item', () => {
    assert.deepEqual(whole(['a', 'b', 'c'], ['a', 'c'], ['a', 'b', 'c2']), ['a', 'c2'])
    assert.deepEqual(whole([1, 2, 2, 3], [1, 2, 3], [0, 1, 2, 2, 3]), [0, 1, 2, 3])
  })

  it('keeps edits of different members of an item without a key', () => {
    assert.deepEqual(
      whole(
        [{ to: 'a', weight: 1 }],
        [{ to: 'b', weight: 1 }],
        [
          { to: 'a', weight: 2 },
          { to: 'c', weight: 1 },
        ],
      ),
      [
        { to: 'b', weight: 2 },
        { to: 'c', weight: 1 },
      ],
    )
  })

  it('names the item that both changed by its key or its place', () => {
    assert.deepEqual(paths(merge(['a', 'b'], ['a', 't'], ['a', 'm'])), ['value /1'])
    const items = (rate: number) => [
      { code: 'a/b', rate: 1 },
      { code: 'c', rate },
    ]
    const result = merge(items(1), items(2), items(3).toReversed())
    assert.deepEqual(paths(result), ['value /code=c/rate'])
    assert.deepEqual(result.conflicts[0]?.steps, [{ name: 'code=c', position: 1, key: 'c' }, 'rate'])
    assert.deepEqual(paths(merge(items(1), items(2).slice(0, 1), items(3))), ['value /code=c'])
  })

  it('joins two new orders, unless they contradict each other', () => {
    assert.deepEqual(whole(['a', 'b', 'c', 'd'], ['b', 'a', 'c', 'd'], ['a', 'b', 'd', 'c']), [
      'b',
      'a',
      'd',
      'c',
    ])
    const base = ['a', 'b', 'c']
    const result = merge(base, ['b', 'a', 'c'], ['a', 'c', 'b'])
    assert.deepEqual(paths(result), ['order '])
    assert.deepEqual(result.conflicts[0]?.theirs, ['b', 'a', 'c'])
    const sides = { base, theirs: ['b', 'a', 'c', 't'], mine: ['a', 'c', 'b', 'm'] }
    assert.deepEqual(mergeJson(sides, () => 'theirs').value, ['b', 'a', 'c', 't', 'm'])
    assert.deepEqual(mergeJson(sides, () => 'base').value, ['a', 'b', 'c', 't', 'm'])
  })

  it('takes time in proportion to the size of a list that both changed', () => {
    const list = (first: number) => Array.from({ length: 50_000 }, (_, index) => 7 * index + first)
    const endWork = boundWork(5)
    const { conflicts } = merge(list(0), list(1), list(2))
    assert.equal(conflicts.length, 50_000)
    // each of these alone is compared item by item, and they are many
    const many = (shift: number): JsonValue =>
      Array.from({ length: 150 }, () =>
        Array.from({ length: 300 - shift }, (_, index) => ({ a: index * (shift + 1), b: shift })),
      )
    merge(many(0), many(1), many(2))
    // these are few, and each has many members
    const wide = (side: string, length: number): JsonValue =>
      Array.from({ length }, (_, at) =>
        Object.fromEntries(Array.from({ length: 150 }, (__, member) => [`k${member}`, `${side}${at}`])),
      )
    merge(wide('b', 950), wide('t', 1000), wide('m', 500))
    const orders = (turn: (list: number[]) => number[]): JsonValue =>
      Object.fromEntries(
        Array.from({ length: 40 }, (_, at) => [
          `m${at}`,
          turn(Array.from({ length: 900 }, (_, index) => index)),
        ]),
      )
    const turned = (list: number[]) => [...list.slice(1, 100), 0, ...list.slice(100)]
    merge(
      orders((list) => list),
      orders(turned),
      orders((list) => [...list.slice(0, 800), ...list.slice(800).toReversed()]),
    )
    // compared item by item, these took half a minute
    endWork()
  })

  it('adds no item twice that each of them had once', () => {
    assert.deepEqual(whole(['a', 'b'], ['a', 'x'], ['a', 'b', 'x']), ['a', 'x'])
  })
})

const scalar = fc.oneof(fc.nat(2), fc.constantFrom('a', 'b', 'c'), fc.constant(null), fc.boolean())
// JSON.parse makes no objects without a prototype, and the assertions tell them apart
const objects = { noNullPrototype: true }
const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.dictionary(fc.constantFrom('id', 'x', 'y', 'z'), tie('tree'), objects),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.uniqueArray(fc.record({ id: fc.constantFrom('p', 'q', 'r', 's'), of: tie('tree') }, objects), {
      selector: ({ id }) => id,
      maxLength: 4,
    }) as fc.Arbitrary<JsonValue>,
  ),
}))
const list = fc.uniqueArray(fc.nat(9), { maxLength: 7 })
const keyed = fc
  .uniqueArray(fc.record({ id: fc.nat(5), x: fc.nat(2), y: fc.nat(2) }, objects), {
    selector: ({ id }) => id,
  })
  .map((items) => items as JsonValue[])

it('reads a deep value once, and not again at each of its levels (J01)', () => {
  const tower = (last: number): JsonValue => {
    let value: JsonValue = [...Array.from({ length: 50_000 }, (_, index) => index), last]
    for (let level = 0; level < 120; level++) value = level % 2 === 0 ? [value] : { a: value }
    return value
  }
  const endWork = boundWork(5)
  assert.deepEqual(
    merge(tower(-1), tower(-2), tower(-3)).conflicts.map(({ mine }) => mine),
    [-3],
  )
  assert.equal(diffJson(tower(-1), tower(-2)).length, 1)
  endWork()
})

describe('every merge', () => {
  it('without a change of one side has the value of the other, and one change is its own merge', () => {
    fc.assert(
      fc.property(tree, tree, (base, other) => {
        assert.deepEqual(whole(base, base, other), other)
        assert.deepEqual(whole(base, other, base), other)
        assert.deepEqual(whole(base, other, other), other)
      }),
    )
  })

  it('has the same conflicts from both sides, each with a path of its own', () => {
    fc.assert(
      fc.property(tree, tree, tree, (base, theirs, mine) => {
        const [one, other] = [merge(base, theirs, mine), merge(base, mine, theirs)]
        const seen = (result: JsonMerge, first: Side, second: Side) =>
          result.conflicts
            .map((conflict) =>
              canonicalText([
                paths({ ...result, conflicts: [conflict] }),
                conflict[first] ?? '-',
                conflict[second] ?? '-',
              ]),
            )
            .toSorted()
        assert.deepEqual(seen(one, 'theirs', 'mine'), seen(other, 'mine', 'theirs'))
        assert.equal(new Set(one.conflicts.map(({ path }) => path)).size, one.conflicts.length)
      }),
      { numRuns: 500 },
    )
  })

  it('changes with a choice for one leaf this leaf only', () => {
    fc.assert(
      fc.property(tree, tree, tree, fc.nat(), (base, theirs, mine, pick) => {
        const sides = { base, theirs, mine }
        const { value, conflicts } = mergeJson(sides)
        if (conflicts.length === 0) return
        const chosen = conflicts[pick % conflicts.length]
        const next = mergeJson(sides, ({ path }) => (path === chosen?.path ? 'theirs' : 'mine'))
        assert.deepEqual(next.conflicts, conflicts)
        if (value === undefined || next.value === undefined || chosen === undefined) return
        const names = chosen.steps.filter((step) => typeof step === 'string')
        for (const { steps } of diffJson(value, next.value))
          assert.deepEqual(
            steps.filter((step) => typeof step === 'string').slice(0, names.length),
            names.slice(0, steps.filter((step) => typeof step === 'string').length),
          )
      }),
      { numRuns: 500 },
    )
  })

  it('without conflicts loses no edit of an object, and makes none', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), tree, objects),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), tree, objects),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), tree, objects),
        (base, theirs, mine) => {
          const { value, conflicts } = merge(base, theirs, mine)
          if (conflicts.length > 0) return
          for (const key of ['a', 'b', 'c']) {
            const [from, other, own, now] = [base, theirs, mine, value as JsonObject].map((one) => one[key])
            if (deepEqual(from, other)) assert.deepEqual(now, own)
            else if (deepEqual(from, own)) assert.deepEqual(now, other)
          }
        },
      ),
    )
  })

  it('without conflicts loses no addition, removal or move of an item, and makes none', () => {
    fc.assert(
      fc.property(list, list, list, (base, theirs, mine) => {
        const { value, conflicts } = merge(base, theirs, mine)
        if (conflicts.length > 0) return
        const items = value as number[]
        const byNumber = (one: number, other: number) => one - other
        const stays = (item: number) =>
          base.includes(item)
            ? theirs.includes(item) && mine.includes(item)
            : theirs.includes(item) || mine.includes(item)
        assert.deepEqual(
          items.toSorted(byNumber),
          [...new Set([...base, ...theirs, ...mine])].filter(stays).toSorted(byNumber),
        )
        const common = base.filter((item) => theirs.includes(item) && mine.includes(item))
        const isBefore = (of: number[], one: number, other: number) => of.indexOf(one) < of.indexOf(other)
        for (const [index, one] of common.entries())
          for (const other of common.slice(index + 1)) {
            const isTurned = !isBefore(theirs, one, other) || !isBefore(mine, one, other)
            assert.equal(isBefore(items, one, other), !isTurned)
          }
      }),
      { numRuns: 1_000 },
    )
  })

  it('without conflicts loses no edit inside an item with a key', () => {
    fc.assert(
      fc.property(keyed, keyed, keyed, (base, theirs, mine) => {
        const { value, conflicts } = merge(base, theirs, mine)
        if (conflicts.length > 0) return
        const at = (items: JsonValue[], id: number) =>
          (items as JsonObject[]).find((item) => item['id'] === id)
        for (const id of [0, 1, 2, 3, 4, 5]) {
          const [from, other, own, now] = [base, theirs, mine, value as JsonValue[]].map((one) => at(one, id))
          for (const name of ['x', 'y']) {
            const changed = [other, own].find((one) => !deepEqual(one?.[name], from?.[name]))
            assert.deepEqual(
              now?.[name],
              changed === undefined && other && own ? from?.[name] : changed?.[name],
            )
          }
        }
      }),
      { numRuns: 500 },
    )
  })
})
