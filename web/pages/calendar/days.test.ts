import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Calendar, ChangeRequest } from '#contract/console-api/shapes.ts'
import { addMonths, entriesOfDay, shownDays } from './days.ts'

const zone = process.env['TZ']
before(() => (process.env['TZ'] = 'Asia/Shanghai'))
after(() => (zone === undefined ? delete process.env['TZ'] : (process.env['TZ'] = zone)))

describe('the days of a calendar', () => {
  it('are a week from Monday, or the whole weeks of a month', () => {
    assert.deepEqual(shownDays('week', '2026-11-29'), { from: '2026-11-23', days: 7 })
    assert.deepEqual(shownDays('week', '2026-11-23'), { from: '2026-11-23', days: 7 })
    assert.deepEqual(shownDays('month', '2026-11-29'), { from: '2026-10-26', days: 42 })
    // it begins on a Monday and has 28 days
    assert.deepEqual(shownDays('month', '2027-02-10'), { from: '2027-02-01', days: 28 })
  })

  it('lead to the same day of other months, or the last one', () => {
    assert.equal(addMonths('2026-11-30', 3), '2027-02-28')
    assert.equal(addMonths('2026-01-15', -1), '2025-12-15')
    assert.equal(addMonths('2028-03-31', -1), '2028-02-29')
  })
})

const calendar = (given: Partial<Calendar>): Calendar => ({
  freezes: [],
  changeRequests: [],
  isMore: false,
  operations: [],
  ...given,
})

const REQUEST: ChangeRequest = {
  changeRequestId: '01920000-0000-7000-8000-0000000000c1',
  kind: 'DETACH',
  title: 'Detach the pilot',
  reason: null,
  scope: null,
  bundleInstallId: null,
  state: 'SCHEDULED',
  revision: 1,
  createdBy: { id: 'mira', name: 'Mira' },
  createdAt: '2026-11-22T08:00:00.000Z',
  updatedAt: '2026-11-22T08:00:00.000Z',
  endedAt: null,
  approvals: 0,
  approvalsNeeded: 0,
  schedule: null,
  operations: [],
  batchId: null,
  overridden: false,
  failure: null,
}

describe('the entries of a day', () => {
  it('are the parts of freezes on it, in the zone of the person', () => {
    const windows = [{ from: '2026-12-10T10:00:00.000Z', to: '2026-12-12T02:00:00.000Z' }]
    const shown = calendar({ freezes: [{ name: 'year-end', message: 'Books', blocks: [], windows }] })
    const on = (day: string) => entriesOfDay(shown, day).freezes.map(({ from, to }) => [from, to])
    assert.deepEqual(on('2026-12-09'), [])
    assert.deepEqual(on('2026-12-10'), [[Date.parse('2026-12-10T10:00:00Z'), null]])
    assert.deepEqual(on('2026-12-11'), [[null, null]])
    assert.deepEqual(on('2026-12-12'), [[null, Date.parse('2026-12-12T02:00:00Z')]])
    assert.deepEqual(on('2026-12-13'), [])
  })

  it('have a request on each day of its schedule, and once it has ended, only where it ended', () => {
    const schedule = {
      notBefore: '2026-12-10T20:00:00.000Z',
      notAfter: '2026-12-11T20:00:00.000Z',
      timeZone: 'UTC',
    }
    const on = (endedAt: string | null, day: string) =>
      entriesOfDay(calendar({ changeRequests: [{ ...REQUEST, schedule, endedAt }] }), day).changeRequests
        .length
    assert.deepEqual(
      ['2026-12-10', '2026-12-11', '2026-12-12', '2026-12-13'].map((day) => on(null, day)),
      [0, 1, 1, 0],
    )
    // it was withdrawn before
    assert.deepEqual(
      [on('2026-12-01T00:00:00.000Z', '2026-12-11'), on('2026-12-01T00:00:00.000Z', '2026-12-12')],
      [1, 0],
    )
    assert.equal(on('2026-12-11T20:00:04.000Z', '2026-12-12'), 1)
  })
})
