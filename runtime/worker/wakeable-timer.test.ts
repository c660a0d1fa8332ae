import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '#http-kit/clock.ts'
import { WakeableTimer } from './wakeable-timer.ts'

test('a timer with many wake times wakes at the first of them', async () => {
  const timer = new WakeableTimer(systemClock)
  for (let waiting = 0; waiting < 300_000; waiting++) timer.wakeIn(60_000)
  timer.wakeIn(20)
  const start = performance.now()
  await timer.sleep(60_000)
  const elapsed = performance.now() - start
  assert(elapsed > 10 && elapsed < 30_000, `${elapsed}`)
})
