import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { CORE, data, MAIL } from '../testing.ts'
import { editAt, EMPTY, isBasedOn, applyStep, type DraftEdit, type DraftStep } from './draft.ts'

const edit = (value: string): DraftEdit => ({
  edit: { kind: 'set', value: { '@type': 'Data', value } },
  base: data('saved'),
  version: 4,
  isSensitive: false,
})

it('a draft is based on a snapshot when none of its edits is based on an older one', () => {
  const draft = { [CORE]: { a: edit('x'), b: { ...edit('y'), version: 6 } } }
  assert.deepEqual(
    [3, 4, 5].map((version) => isBasedOn(draft, version)),
    [true, true, false],
  )
  assert.equal(isBasedOn(EMPTY, 9), true)
})

describe('a step of a draft', () => {
  it('has the same result whether its parts are applied together or one by one', () => {
    const part = fc.record({
      locator: fc.constantFrom(CORE, MAIL),
      property: fc.constantFrom('a', 'b'),
      next: fc.option(fc.constantFrom('x', 'y').map(edit), { nil: null }),
    })
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (step: DraftStep) => {
        const oneByOne = step.reduce((draft, next) => applyStep(draft, [next]), EMPTY)
        assert.deepEqual(applyStep(EMPTY, step), oneByOne)
        for (const { locator, property } of step) {
          const last = step.findLast((one) => one.locator === locator && one.property === property)
          assert.deepEqual(editAt(oneByOne, locator, property) ?? null, last?.next)
        }
      }),
    )
  })

  it('does not change the draft that it is applied to', () => {
    const before = applyStep(EMPTY, [{ locator: CORE, property: 'a', next: edit('x') }])
    applyStep(before, [{ locator: CORE, property: 'b', next: edit('y') }])
    assert.deepEqual(before, { [CORE]: { a: edit('x') } })
  })
})
