import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from './clock.ts'

test('the clock sleeps until it is aborted', async () => {
  const stop = new AbortController()
  setTimeout(() => stop.abort(new Error('woken')), 10)
  await assert.rejects(systemClock.sleep(60_000, stop.signal), /woken/)
  await assert.rejects(systemClock.sleep(1, AbortSignal.abort(new Error('already'))), /already/)
  const before = systemClock.monotonic()
  await systemClock.sleep(20)
  assert.ok(systemClock.monotonic() - before >= 15)
})
