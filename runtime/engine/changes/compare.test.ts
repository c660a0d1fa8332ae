import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { newCheckBudget } from '#contract/json-schema/check-work.ts'
import { wrapData, wrapSensitive } from '#contract/protocol/data.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { checkChanges } from './check-changes.ts'
import { asDefined, compareChanges, isSameValue } from './compare.ts'
import type { PropertyMap } from './compare.ts'
import { fullChanges } from './full-changes.ts'
import type { FullResources } from './full-changes.ts'
import { undoChanges } from '../../use-cases/configuration/snapshot.ts'

const A = 'dev/b/MODULE/a'
const B = 'dev/b/TIMER/b'

const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>
const reference = fc.record({
  '@type': fc.constant('ServiceReference' as const),
  serviceId: fc.constantFrom('one', 'two'),
})
const value: fc.Arbitrary<TypedValue> = fc.oneof(json.map(wrapData), json.map(wrapSensitive), reference)
const names = fc.constantFrom('p', 'q', 'toString', 'hasOwnProperty')
const state: fc.Arbitrary<PropertyMap> = fc
  .array(fc.tuple(fc.constantFrom(A, B), names, value))
  .map((entries) => put(new Map(), entries))

function put(map: PropertyMap, entries: readonly [string, string, TypedValue | null][]) {
  const result = new Map([...map].map(([locator, properties]) => [locator, new Map(properties)]))
  for (const [locator, property, value] of entries) {
    const ofResource = result.get(locator) ?? new Map<string, TypedValue>()
    if (value === null) ofResource.delete(property)
    else ofResource.set(property, value)
    result.set(locator, ofResource)
  }
  return result
}

const changes = fc.dictionary(
  fc.constantFrom(A, B),
  fc.dictionary(names, fc.option(value), { noNullPrototype: true }),
  { noNullPrototype: true },
)

/** Without resources that have no properties. */
const essence = (map: PropertyMap) =>
  new Map(
    [...map]
      .filter(([, properties]) => properties.size > 0)
      .map(([locator, properties]) => [locator, new Map(properties)]),
  )

describe('the actual changes', () => {
  it('are empty once they are applied', () => {
    fc.assert(
      fc.property(state, changes, (current, given) => {
        const real = compareChanges(current, given)
        const next = put(
          current,
          real.map(({ locator, property, after }) => [locator, property, after]),
        )
        assert.deepEqual(compareChanges(next, given), [])
      }),
    )
  })

  it('can be undone with their before values', () => {
    fc.assert(
      fc.property(state, changes, (current, given) => {
        const real = compareChanges(current, given)
        const next = put(
          current,
          real.map(({ locator, property, after }) => [locator, property, after]),
        )
        assert.deepEqual(essence(undoChanges(next, real)), essence(current))
      }),
    )
  })

  it('name each property once, and only given ones', () => {
    fc.assert(
      fc.property(state, changes, (current, given) => {
        const real = compareChanges(current, given).map(({ locator, property }) => `${locator} ${property}`)
        assert.equal(new Set(real).size, real.length)
        for (const { locator, property } of compareChanges(current, given))
          assert.ok(Object.hasOwn(given[locator] ?? {}, property))
      }),
    )
  })

  const same: [string, TypedValue | null, TypedValue | null, boolean][] = [
    ['the order of keys', wrapData({ a: 1, b: [2] }), wrapData({ b: [2], a: 1 }), true],
    ['the order of a list', wrapData([1, 2]), wrapData([2, 1]), false],
    ['a sensitive mark', wrapData('x'), wrapSensitive('x'), true],
    ['a wrapper inside a value', wrapData('x'), wrapData(wrapData('x')), false],
    ['null and not set', wrapData(null), null, false],
    ['a number and its text', wrapData(1), wrapData('1'), false],
    [
      'Data that looks like a reference',
      wrapData('one'),
      { '@type': 'ServiceReference', serviceId: 'one' },
      false,
    ],
  ]
  for (const [what, a, b, expected] of same) {
    it(`${expected ? `${expected ? 'ignore' : 'detect'} ${what}` : 'sees'} ${what}`, () => {
      assert.equal(isSameValue(a, b), expected)
      assert.equal(isSameValue(b, a), expected)
    })
  }

  it('flag a value as its definition says', () => {
    const secret: PropertyDefinition = { kind: 'DATA', schema: true, isSensitive: true }
    assert.deepEqual(asDefined(secret, wrapData(1)), wrapSensitive(1))
    assert.deepEqual(asDefined({ kind: 'DATA', schema: true }, wrapSensitive(1)), wrapData(1))
  })
})

describe('a full configuration as changes', () => {
  const definitions: Record<string, PropertyDefinition> = {
    p: { kind: 'DATA', schema: true },
    secret: { kind: 'DATA', schema: true, isSensitive: true },
    written: { kind: 'DATA', schema: true },
    instanceRefProperty: { kind: 'DATA', schema: true },
  }
  const facts = new Map([[A, { definitions, writtenBy: { written: 'plugin' } }]])
  const all = ['p', 'secret', 'written', 'instanceRefProperty', 'orphan']
  const current = new Map([[A, new Map(all.map((name) => [name, wrapData(name)]))]])
  const full = (properties: FullResources[string]['properties']) =>
    fullChanges(current, { [A]: { properties } }, facts)

  it('removes an absent property that a person may remove, and no other', () => {
    assert.deepEqual(full({}), { changes: { [A]: { p: null } }, problems: [] })
  })

  it('treats a sensitive property without a value as unchanged', () => {
    assert.deepEqual(full({ p: wrapData(1), secret: { '@type': 'Data', isSensitive: true } }), {
      changes: { [A]: { p: wrapData(1) } },
      problems: [],
    })
  })

  it('refuses any other property without a value', () => {
    const { problems } = full({ p: { '@type': 'Data', isSensitive: true } })
    assert.deepEqual(
      problems.map(({ property, errorCode }) => [property, errorCode]),
      [['p', 'REQUEST_INVALID']],
    )
  })

  it('leaves an absent resource unchanged', () => {
    assert.deepEqual(fullChanges(current, {}, facts), { changes: {}, problems: [] })
  })
})

describe('checkChanges', () => {
  it('names no key inside a sensitive value, which others than those who gave it may see refused (H03)', () => {
    const known = (isSensitive: boolean) => ({
      facts: new Map([
        [
          A,
          {
            definitions: {
              p: { kind: 'DATA', isSensitive, schema: { type: 'object', additionalProperties: false } },
            },
            writtenBy: {},
          } as const,
        ],
      ]),
      usableServices: new Set<string>(),
    })
    const change = { locator: A, property: 'p', before: null, after: wrapData({ 'name-of-a-key': 1 }) }
    const [shown, hidden] = [false, true].map((isSensitive) =>
      checkChanges([change], known(isSensitive), newCheckBudget()),
    )
    assert.match(JSON.stringify(shown), /name-of-a-key/)
    assert.equal(hidden?.[0]?.errorCode, 'PROPERTY_INVALID')
    assert.doesNotMatch(JSON.stringify(hidden), /name-of-a-key/)
  })
})
