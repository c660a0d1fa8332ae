import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextRuns } from './cron-runs.ts'

const at = (text: string) => Date.parse(text)
const seen = (text: string, zone: string, now: string) => {
  const { runs, irregular } = nextRuns(text, zone, at(now))
  return {
    runs: runs.map(({ local, offset }) =>
      `${new Date(local).toISOString().slice(0, 16)} ${offset ?? ''}`.trim(),
    ),
    irregular: irregular.map(({ local, ...rest }) => ({
      ...rest,
      local: new Date(local).toISOString().slice(0, 16),
    })),
  }
}

test('a run is in the time of its zone, and has its offset on a day on which that changes', () => {
  assert.deepEqual(seen('0 9 29 2 *', 'UTC', '2026-11-27T00:00:00Z'), {
    runs: ['2028-02-29T09:00', '2032-02-29T09:00', '2036-02-29T09:00'],
    irregular: [],
  })
  assert.deepEqual(seen('0 12 * * *', 'Europe/Berlin', '2027-03-27T00:00:00Z').runs, [
    '2027-03-27T12:00',
    '2027-03-28T12:00 120',
    '2027-03-29T12:00',
  ])
})

test('a time that does not exist is told, with when it runs instead', () => {
  assert.deepEqual(seen('30 2 28 3 *', 'Europe/Berlin', '2026-11-27T00:00:00Z'), {
    runs: ['2027-03-28T03:00 120', '2028-03-28T02:30', '2029-03-28T02:30'],
    irregular: [{ kind: 'missing', instead: at('2027-03-28T03:00:00Z'), local: '2027-03-28T02:30' }],
  })
  // a list of minutes is skipped, and a run that the schedule names is not a replacement
  for (const text of ['15,45 2 * * *', '0 2,3 * * *'])
    assert.deepEqual(
      seen(text, 'Europe/Berlin', '2027-03-27T20:00:00Z').irregular.map(({ kind, ...rest }) => [
        kind,
        'instead' in rest && rest.instead,
      ]),
      [['missing', null]],
      text,
    )
})

test('a time that comes twice is told, and whether it runs both times', () => {
  assert.deepEqual(seen('*/30 1 7 11 *', 'America/New_York', '2026-11-27T00:00:00Z'), {
    runs: ['2027-11-07T01:00 -240', '2027-11-07T01:30 -240', '2027-11-07T01:00 -300'],
    irregular: [{ kind: 'twice', isBoth: true, local: '2027-11-07T01:00' }],
  })
  assert.deepEqual(seen('30 1 * * *', 'America/New_York', '2027-11-06T12:00:00Z').irregular, [
    { kind: 'twice', isBoth: false, local: '2027-11-07T01:30' },
  ])
  // half an hour, and the south
  assert.deepEqual(seen('45 1 * * *', 'Australia/Lord_Howe', '2027-04-03T00:00:00Z').irregular, [
    { kind: 'twice', isBoth: false, local: '2027-04-04T01:45' },
  ])
})

test('a schedule for every hour means no certain one', () => {
  assert.deepEqual(seen('30 * * * *', 'Europe/Berlin', '2027-03-28T00:00:00Z').irregular, [])
})
