import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import { batchValuesIn, costOf } from './endpoint.ts'

test('a batch counts its values in each target', () => {
  const values = { a: 1, b: 2 }
  assert.equal(batchValuesIn({ targets: ['x', 'y'], input: { properties: { m: values } } }), 6)
  assert.equal(batchValuesIn({ targets: ['x', 'y'], input: { values: { x: { m: values } } } }), 3)
  assert.equal(batchValuesIn({ targets: ['x', 'y'], input: { changes: { m: { a: 'x'.repeat(320) } } } }), 8)
})

test('the characters of a text are no values, before anything has checked the body (J01)', () => {
  const long = 'x'.repeat(10_000)
  const inputs = [
    long,
    { properties: long },
    { properties: { m: long } },
    { values: long },
    { values: { x: long } },
  ]
  for (const input of inputs) {
    const body = { targets: ['x'], input }
    assert.ok(batchValuesIn(body) <= 1, JSON.stringify(Object.keys(input)))
    assert.equal(costOf(runtimeApi['POST /batches'], body, 10_000), 2)
  }
})

test('operations that are assigned together count as the targets of a batch do (J01)', () => {
  const operationIds = Array.from({ length: 1_000 }, () => 'x')
  assert.equal(costOf(runtimeApi['POST /operations/assign'], { operationIds, assignee: null }, 10_000), 52)
})
