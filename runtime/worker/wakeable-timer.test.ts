import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '#http-kit/clock.ts'
import { WakeableTimer } from './wakeable-timer.ts'

test('an alarm that is set for a great many times rings at the first of them', async () => {
  const alarm = new WakeableTimer(systemClock)
  for (let waiting = 0; waiting < 300_000; waiting++) alarm.wakeIn(60_000)
  alarm.wakeIn(20)
  const begun = performance.now()
  await alarm.sleep(60_000)
  const took = performance.now() - begun
  assert(took > 10 && took < 30_000, `${took}`)
})
