import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointChange, movedBetween } from './endpoint-change.ts'

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

test('a move while the operation ran, before the attempt, is found with the endpoint before it', () => {
  const endpoints = [
    { since: '2026-01-01T10:00:30Z', endpoint: 'http://c' },
    { since: '2026-01-01T10:00:10Z', endpoint: 'http://b' },
    { since: '2026-01-01T09:00:00Z', endpoint: 'http://a' },
  ]
  const created = '2026-01-01T10:00:00Z'
  assert.equal(movedBetween({ endpoints }, created, '2026-01-01T10:00:05Z'), null)
  const moved = { before: 'http://a', after: 'http://b', at: '2026-01-01T10:00:10Z' }
  assert.deepEqual(movedBetween({ endpoints }, created, '2026-01-01T10:00:20Z'), moved)
  assert.equal(movedBetween({ endpoints }, '2026-01-01T10:00:40Z', '2026-01-01T10:00:50Z'), null)
  assert.equal(movedBetween({ endpoints: endpoints.slice(2) }, created, '2026-01-01T10:00:20Z'), null)
})
