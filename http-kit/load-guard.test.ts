import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'node:test'
import { createLoadGuard } from './load-guard.ts'

/** Uses the processor for this long, without a pause in which timers could run. */
function work(ms: number): void {
  const until = process.cpuUsage().user + ms * 1000
  while (process.cpuUsage().user < until) JSON.stringify({ at: performance.now() })
}

describe('the load guard', () => {
  it('is behind after the process has held up its timers for a while, and recovers (J04)', async () => {
    const guard = createLoadGuard()
    await sleep(100)
    assert.equal(guard.isBehind(), false)
    const started = performance.now()
    while (!guard.isBehind() && performance.now() - started < 60_000) {
      work(300)
      await sleep(0)
    }
    assert.equal(guard.isBehind(), true)
    const recovering = performance.now()
    while (guard.isBehind() && performance.now() - recovering < 60_000) await sleep(50)
    assert.equal(guard.isBehind(), false)
  })

  it('does not count the time in which the process does nothing', async () => {
    const guard = createLoadGuard()
    await sleep(100)
    // stops this thread, and with it the timers, without using the processor
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000)
    await sleep(60)
    assert.equal(guard.isBehind(), false)
  })
})
