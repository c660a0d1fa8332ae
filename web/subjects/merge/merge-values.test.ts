import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { PropertyView } from '#contract/console-api/shapes.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Edit } from '../../forms/property/property-edit.ts'
import { mergeValues, WHOLE } from './merge-values.ts'

const data = (value: JsonValue): PropertyView => ({ '@type': 'Data', value })
const hidden = (isSet: boolean): PropertyView => ({ '@type': 'Data', isSensitive: true, isSet })
const setTo = (value: JsonValue): Edit => ({ kind: 'set', value: { '@type': 'Data', value } })
const reference = (serviceId: string) => ({ '@type': 'ServiceReference' as const, serviceId })
const list = (...ids: string[]): TypedValue => ({
  '@type': 'ServiceReferenceList',
  valueList: ids.map(reference),
})
const map = (services: Record<string, string>): TypedValue => ({
  '@type': 'ServiceReferenceMap',
  valueMap: Object.fromEntries(Object.entries(services).map(([key, id]) => [key, reference(id)])),
})
const paths = (base: PropertyView | null, theirs: PropertyView | null, edit: Edit) =>
  mergeValues({ base, theirs, edit }).conflicts.map(({ path }) => path)

describe('merging both changes of one property', () => {
  it('joins what does not overlap, of each kind of value', () => {
    const joined = (base: TypedValue | null, theirs: TypedValue, mine: TypedValue) => {
      const { edit, conflicts } = mergeValues({
        base,
        theirs,
        edit: { kind: 'set', value: mine },
      })
      assert.deepEqual(conflicts, [])
      return edit?.kind === 'set' ? edit.value : edit
    }
    const wrapped = (value: JsonValue): TypedValue => ({ '@type': 'Data', value })
    assert.deepEqual(
      joined(wrapped({ a: 1, b: 1 }), wrapped({ a: 3, b: 1 }), wrapped({ a: 1, b: 2 })),
      wrapped({ a: 3, b: 2 }),
    )
    assert.deepEqual(joined(null, wrapped(['t']), wrapped(['m'])), wrapped(['t', 'm']))
    assert.deepEqual(
      joined(list('a', 'a'), list('a', 'a', 't'), list('m', 'a', 'a')),
      list('m', 'a', 'a', 't'),
    )
    assert.deepEqual(
      joined(map({ eu: 'a' }), map({ eu: 'b' }), map({ eu: 'a', us: 'c' })),
      map({ eu: 'b', us: 'c' }),
    )
  })

  it('has the whole value as one leaf where it is hidden, not a value yet, gone, or of another type', () => {
    assert.deepEqual(paths(hidden(true), hidden(true), setTo({ a: 1 })), [WHOLE])
    assert.deepEqual(paths(data({ a: 1 }), null, setTo({ a: 2 })), [WHOLE])
    assert.deepEqual(paths(data({ a: 1 }), data({ a: 2 }), { kind: 'removed' }), [WHOLE])
    assert.deepEqual(paths(data({ a: 1 }), data({ a: 2 }), { kind: 'unfinished', text: '{' }), [WHOLE])
    assert.deepEqual(paths(data({ a: 1 }), list('a') as PropertyView, setTo({ a: 2 })), [WHOLE])
    const secret: Edit = { kind: 'set', value: { '@type': 'Data', value: { a: 1 }, isSensitive: true } }
    assert.deepEqual(paths(data({ a: 2 }), data({ a: 2, b: 1 }), secret), [WHOLE])
  })

  it('takes of a whole value one side as it is', () => {
    const both = { base: hidden(true), theirs: hidden(true), edit: setTo(1) }
    assert.equal(mergeValues(both, () => 'theirs').edit, null)
    assert.equal(mergeValues(both, () => 'mine').edit, both.edit)
    const unset = { base: data(1), theirs: null, edit: setTo(2) }
    assert.deepEqual(mergeValues(unset, () => 'base').edit, setTo(1))
    assert.deepEqual(mergeValues(unset, () => 'theirs').edit, { kind: 'removed' })
  })
})
