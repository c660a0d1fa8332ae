import assert from 'node:assert/strict'
import { test } from 'node:test'
import { labelStep, unbroken, valueTicks } from './scale.ts'

test('ticks are round, begin at zero and reach the largest value', () => {
  assert.deepEqual(valueTicks(0), [0, 0.5, 1])
  assert.deepEqual(valueTicks(7), [0, 2, 4, 6, 8])
  assert.deepEqual(valueTicks(0.3), [0, 0.1, 0.2, 0.3])
  assert.deepEqual(valueTicks(10), [0, 2.5, 5, 7.5, 10])
  for (const largest of [0.004, 1, 3, 12.5, 99, 100, 101, 4_870, 1e6]) {
    const ticks = valueTicks(largest)
    assert.ok((ticks.at(-1) ?? 0) >= largest && ticks.length <= 6, `${largest}: ${ticks.join()}`)
    assert.ok((ticks.at(-2) ?? 0) < largest)
  }
})

test('counts have whole ticks', () => {
  assert.deepEqual(valueTicks(1, { whole: true }), [0, 1])
  assert.deepEqual(valueTicks(10, { whole: true }), [0, 5, 10])
  assert.deepEqual(valueTicks(0, { whole: true }), [0, 1])
  assert.deepEqual(valueTicks(48, { whole: true, steps: 2 }), [0, 25, 50])
})

test('a line has a part for each run of values', () => {
  assert.deepEqual(unbroken([null, 1, 2, null, 0, null]), [
    { first: 1, values: [1, 2] },
    { first: 4, values: [0] },
  ])
  assert.deepEqual(unbroken([null]), [])
})

test('labels of the time axis are as far apart as they are wide', () => {
  assert.equal(labelStep(60, 50), 1)
  assert.equal(labelStep(30, 50), 2)
  assert.equal(labelStep(10, 50), 6)
  assert.equal(labelStep(1, 50), 50)
})
