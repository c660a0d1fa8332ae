import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { TIME_ZONES } from '#contract/json-schema/time-zone.ts'
import { usedMemory } from '#http-kit/testing-memory.ts'
import { dayAt, frozenUntil, nextWindow, startOfDay, windowsIn } from './freeze-windows.ts'
import type { FreezeTimes } from './freeze-windows.ts'
import { boundWork } from '../../../lab/verification/bound-work.ts'

const weekly = (days: string, from: string, to: string, timeZone = 'Europe/Berlin'): FreezeTimes => ({
  from: null,
  to: null,
  weekly: { days: days.split(' ') as NonNullable<FreezeTimes['weekly']>['days'], from, to },
  timeZone,
})
const once = (from: string, to: string): FreezeTimes => ({
  from: `${from}:00.000Z`,
  to: `${to}:00.000Z`,
  weekly: null,
  timeZone: 'UTC',
})
const at = (text: string): number => Date.parse(`${text}:00Z`)
const until = (freezes: FreezeTimes[], when: string): string | null => {
  const found = frozenUntil(freezes, at(when))
  if (found === null) return null
  return found.until === Infinity ? 'never ends' : new Date(found.until).toISOString().slice(0, 16)
}

describe('a freeze', () => {
  it('refuses from its first moment until before its last', () => {
    const freeze = [once('2026-12-20T00:00', '2027-01-04T00:00')]
    assert.equal(until(freeze, '2026-12-19T23:59'), null)
    assert.equal(until(freeze, '2026-12-20T00:00'), '2027-01-04T00:00')
    assert.equal(until(freeze, '2027-01-04T00:00'), null)
  })

  it('comes back every week at the time of its zone, also over midnight and in summer', () => {
    const friday = [weekly('FRI', '18:00', '06:00')]
    // 2026-11-27 is a Friday, at UTC+1; 2026-06-26 is one at UTC+2
    assert.equal(until(friday, '2026-11-27T16:59'), null)
    assert.equal(until(friday, '2026-11-27T17:00'), '2026-11-28T05:00')
    assert.equal(until(friday, '2026-11-28T04:59'), '2026-11-28T05:00')
    assert.equal(until(friday, '2026-11-28T17:30'), null)
    assert.equal(until(friday, '2026-06-26T16:00'), '2026-06-27T04:00')
  })

  it('is longer or shorter by an hour on the days on which the clock is set', () => {
    const sunday = [weekly('SUN', '00:00', '00:00')]
    assert.equal(until(sunday, '2026-03-28T23:00'), '2026-03-29T22:00')
    assert.equal(until(sunday, '2026-10-24T22:00'), '2026-10-25T23:00')
  })

  it('is never shorter than it was written: before a skipped time, at the first and to the second of a time that comes twice', () => {
    // 02:00 to 03:00 is skipped on 29 March, and comes twice on 25 October
    const night = [weekly('SUN', '02:30', '04:00')]
    assert.equal(until(night, '2026-03-29T00:29'), null)
    assert.equal(until(night, '2026-03-29T00:30'), '2026-03-29T02:00')
    assert.equal(until(night, '2026-10-25T00:30'), '2026-10-25T03:00')
    assert.equal(until([weekly('SUN', '01:00', '02:30')], '2026-10-25T00:45'), '2026-10-25T01:30')
  })

  it('is one with those that overlap or follow it, and may never end', () => {
    assert.equal(until([weekly('SAT SUN', '00:00', '00:00', 'UTC')], '2026-11-28T12:00'), '2026-11-30T00:00')
    const two = [
      once('2026-12-01T00:00', '2026-12-02T00:00'),
      once('2026-12-01T12:00', '2026-12-03T00:00'),
      once('2026-12-03T00:00', '2026-12-03T08:00'),
    ]
    assert.equal(until(two, '2026-12-01T01:00'), '2026-12-03T08:00')
    const always = [weekly('MON TUE WED THU FRI SAT SUN', '08:00', '08:00')]
    assert.equal(until(always, '2026-12-01T01:00'), 'never ends')
    const joined = [once('2026-12-20T00:00', '2027-01-10T12:00'), weekly('SUN', '00:00', '00:00', 'UTC')]
    assert.equal(until(joined, '2026-12-20T00:00'), '2027-01-11T00:00')
  })

  it('is judged quickly, however far ahead another one is and however many there are', () => {
    const days = 'MON TUE WED THU FRI SAT SUN'
    const minute = (at: number) =>
      `${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`
    const minutes = Array.from({ length: 198 }, (_, at) => weekly(days, minute(at), minute(at + 1)))
    const rest = weekly(days, minute(198), '00:00')
    const endWork = boundWork(5)
    const far = once('9990-01-01T00:00', '9991-01-01T00:00')
    assert.equal(until([...minutes, rest, far], '2026-12-01T01:00'), 'never ends')
    // years of days took minutes
    endWork()
  })

  it('says when it comes next', () => {
    const next = (freeze: FreezeTimes, when: string) => {
      const found = nextWindow(freeze, at(when))
      return found && [found.from, found.to].map((time) => new Date(time).toISOString().slice(0, 16))
    }
    const friday = weekly('FRI', '18:00', '06:00', 'Asia/Shanghai')
    assert.deepEqual(next(friday, '2026-11-27T11:00'), ['2026-12-04T10:00', '2026-12-04T22:00'])
    const december = once('2026-12-01T00:00', '2026-12-02T00:00')
    assert.deepEqual(next(december, '2026-11-01T00:00'), ['2026-12-01T00:00', '2026-12-02T00:00'])
    assert.equal(next(december, '2026-12-01T12:00'), null)
  })
})

describe('the windows of a freeze in a time', () => {
  const windows = (freeze: FreezeTimes, from: string, to: string) =>
    windowsIn(freeze, { from: at(from), to: at(to) }).map((window) =>
      [window.from, window.to].map((moment) => new Date(moment).toISOString().slice(0, 16)),
    )

  it('are all that touch it, and those that follow each other are one', () => {
    assert.deepEqual(
      windows(weekly('SAT SUN', '00:00', '00:00', 'UTC'), '2026-11-28T12:00', '2026-12-06T00:00'),
      [
        ['2026-11-28T00:00', '2026-11-30T00:00'],
        ['2026-12-05T00:00', '2026-12-07T00:00'],
      ],
    )
    const december = once('2026-12-20T00:00', '2027-01-04T00:00')
    assert.deepEqual(windows(december, '2026-12-01T00:00', '2026-12-20T00:00'), [])
    assert.deepEqual(windows(december, '2026-12-25T00:00', '2027-01-10T00:00'), [
      ['2026-12-20T00:00', '2027-01-04T00:00'],
    ])
  })

  it('are found on the days on which the clock is set', () => {
    // the local day has 23 hours, and 25
    const night = weekly('SUN', '02:30', '04:00')
    assert.equal(windows(night, '2026-03-27T00:00', '2026-03-31T00:00').length, 1)
    assert.equal(windows(night, '2026-10-24T00:00', '2026-10-27T00:00').length, 1)
  })

  it('lie on the days of a calendar in a zone', () => {
    assert.equal(startOfDay('2026-11-29', 'Asia/Shanghai'), at('2026-11-28T16:00'))
    assert.equal(dayAt(at('2026-11-28T16:00'), 'Asia/Shanghai'), '2026-11-29')
    assert.equal(dayAt(at('2026-11-28T15:59'), 'Asia/Shanghai'), '2026-11-28')
    assert.equal(
      startOfDay('2026-03-30', 'Europe/Berlin') - startOfDay('2026-03-29', 'Europe/Berlin'),
      82_800_000,
    )
  })

  it('take little memory, although anybody may ask for every zone in many years', () => {
    const before = usedMemory()
    for (const zone of TIME_ZONES.slice(0, 60))
      for (let day = 0; day < 1_500; day++)
        startOfDay(new Date(day * 86_400_000).toISOString().slice(0, 10), zone)
    assert.ok(usedMemory() - before < 3, `${usedMemory() - before} MB`)
  })
})
