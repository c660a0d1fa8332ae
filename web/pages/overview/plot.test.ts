import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstHour, HOURS } from '#contract/console-api/pages/overview.ts'
import { hoursOf, totalsOf } from './plot.ts'

const now = Date.parse('2026-11-21T03:48:00Z')
const first = firstHour(now)

test('the plot has every hour of the last day, the current one last', () => {
  assert.equal(new Date(first).toISOString(), '2026-11-20T04:00:00.000Z')
  const hours = hoursOf([], first)
  assert.equal(hours.length, HOURS)
  assert.ok((hours.at(-1)?.from ?? 0) <= now && now < (hours.at(-1)?.to ?? 0))
})

test('states are grouped by result', () => {
  const hours = hoursOf(
    [{ since: '2026-11-21T03:00:00.000Z', counts: { SUCCEEDED: 4, FAILED: 1, WAITING: 2, RUNNING: 1 } }],
    first,
  )
  assert.deepEqual(hours.at(-1)?.counts, { SUCCEEDED: 4, IN_PROGRESS: 3, TAKEN_OVER: 0, FAILED: 1 })
  assert.equal(totalsOf(hours).all, 8)
})
