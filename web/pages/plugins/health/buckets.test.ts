import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PluginHealth } from '#contract/console-api/shapes.ts'
import { bucketsOf, failedOf, uncertainShare } from './buckets.ts'

const figures = { attempts: 4, succeeded: 1, uncertain: 2, p50Ms: 5, p95Ms: 9, attemptsNeeded: 2 }
const health: PluginHealth = {
  since: '2026-11-21T11:00:00.000Z',
  until: '2026-11-22T10:20:00.000Z',
  complete: true,
  total: figures,
  buckets: [{ since: '2026-11-22T09:00:00.000Z', ...figures }],
  endpoints: [],
  versions: [],
  latest: [],
}

test('a day has 24 hours, the last of them not over', () => {
  const buckets = bucketsOf(health, 'day')
  assert.equal(buckets.length, 24)
  assert.equal(buckets[0]?.from, Date.parse('2026-11-21T11:00:00.000Z'))
  assert.equal(buckets.at(-1)?.from, Date.parse('2026-11-22T10:00:00.000Z'))
  assert.deepEqual(
    buckets.filter((bucket) => bucket.figures !== null).map(({ from }) => new Date(from).toISOString()),
    ['2026-11-22T09:00:00.000Z'],
  )
})

test('the buckets of a week begin at the hours at which the runtime begins them', () => {
  const buckets = bucketsOf(health, 'week')
  assert.equal(buckets.length, 28)
  assert.ok(buckets.every(({ from }) => new Date(from).getUTCHours() % 6 === 0))
})

test('what neither succeeded nor is uncertain failed', () => {
  assert.equal(failedOf(figures), 1)
  assert.equal(uncertainShare(figures), 50)
  assert.equal(uncertainShare({ ...figures, attempts: 0, uncertain: 0 }), null)
})
