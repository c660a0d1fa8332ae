import assert from 'node:assert/strict'
import { test } from 'node:test'
import { durationMs, momentAt } from './moment.ts'

test('a duration is that long before now, and a time stays', () => {
  const now = Date.parse('2026-11-23T10:00:00.000Z')
  assert.equal(momentAt('PT30M', now), '2026-11-23T09:30:00.000Z')
  assert.equal(momentAt('PT24H', now), '2026-11-22T10:00:00.000Z')
  assert.equal(momentAt('P7D', now), '2026-11-16T10:00:00.000Z')
  assert.equal(momentAt('2026-01-01T00:00:00.000Z', now), '2026-01-01T00:00:00.000Z')
})

test('only durations of one unit are understood', () => {
  for (const text of ['', 'P', 'PT', 'P1M', 'P1H', 'PT0H', 'PT10000H', 'P1DT1H', 'PT1H ', '-PT1H', 'pt1h'])
    assert.equal(durationMs(text), null, text)
})
