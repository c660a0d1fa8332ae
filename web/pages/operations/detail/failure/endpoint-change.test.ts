import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointChange } from './endpoint-change.ts'

const at = (minute: number) => `2026-11-23T01:${String(minute).padStart(2, '0')}:00.000Z`
const plugin = (...history: [number, string][]) => ({
  endpoint: history[0]?.[1] ?? 'a',
  endpoints: history.map(([minute, endpoint]) => ({ since: at(minute), endpoint })),
})

test('the endpoint of an attempt is the one at its time', () => {
  const moved = plugin([30, 'c'], [20, 'b'], [0, 'a'])
  assert.deepEqual(endpointChange(moved, at(10)), { before: 'a', at: at(30) })
  assert.deepEqual(endpointChange(moved, at(20)), { before: 'b', at: at(30) })
  assert.equal(endpointChange(moved, at(30)), null)
})

test('an endpoint that was changed back has not changed', () => {
  assert.equal(endpointChange(plugin([30, 'a'], [20, 'b'], [0, 'a']), at(10)), null)
})

test('an endpoint before the first record is unknown, and a receipt of an earlier version claims nothing', () => {
  assert.deepEqual(endpointChange(plugin([30, 'a']), at(10)), { before: null, at: at(30) })
  assert.equal(endpointChange({ endpoint: 'a' }, at(10)), null)
})
