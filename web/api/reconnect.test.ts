import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reconnectDelay } from './reconnect.ts'

const shortest = () => 0
const longest = () => 1

test('the wait before the event stream is reopened doubles up to 15 s, and varies by half', () => {
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 7, 50].map((failures) => reconnectDelay(failures, null, shortest)),
    [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000],
  )
  assert.equal(reconnectDelay(1, null, longest), 750)
  assert.equal(reconnectDelay(50, null, longest), 22_500)
})

test('the wait is never shorter than the server’s Retry-After', () => {
  assert.equal(reconnectDelay(1, '5', shortest), 5_000)
  assert.equal(reconnectDelay(6, '5', shortest), 15_000)
  assert.equal(reconnectDelay(1, '3600', shortest), 60_000)
  for (const nonsense of ['', '-5', '1e9', 'soon', 'Sun, 22 Nov 2026 10:00:00 GMT'])
    assert.equal(reconnectDelay(1, nonsense, shortest), 500, nonsense)
})
