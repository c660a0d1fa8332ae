import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { LANGUAGES } from '#contract/protocol/languages.ts'
import {
  formatClockTime,
  formatDay,
  formatDuration,
  formatExactTime,
  formatLocalTime,
  formatMinute,
  formatRelativeTime,
  formatRoughDuration,
  formatShortTime,
} from './format.ts'
import { formats as english } from './en/index.ts'
import { formats as chinese } from './zh/index.ts'
import { localeStateOf } from './locale.ts'
import { translator } from './testing.ts'

const zone = process.env['TZ']
before(() => (process.env['TZ'] = 'Asia/Shanghai'))
after(() => (zone === undefined ? delete process.env['TZ'] : (process.env['TZ'] = zone)))

const en = await translator('en')
const zh = await translator('zh')

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

test('a duration has at most two units, in the current language', () => {
  const cases: [ms: number, english: string, chinese: string][] = [
    [0, '0 ms', '0 毫秒'],
    [412, '412 ms', '412 毫秒'],
    [3210, '3.2 s', '3.2 秒'],
    [4000, '4 s', '4 秒'],
    [9960, '10 s', '10 秒'],
    [59_900, '59 s', '59 秒'],
    [6 * MINUTE + 38 * SECOND, '6 min 38 s', '6 分钟 38 秒'],
    [10 * MINUTE, '10 min', '10 分钟'],
    [2 * HOUR + 5 * MINUTE, '2 h 5 min', '2 小时 5 分钟'],
    [DAY + 4 * HOUR, '1 day 4 h', '1 天 4 小时'],
    [3 * DAY, '3 days', '3 天'],
  ]
  for (const [ms, english, chinese] of cases) {
    assert.equal(formatDuration(ms, en), english)
    assert.equal(formatDuration(ms, zh), chinese)
  }
})

test('a rough duration is its largest unit', () => {
  assert.equal(formatRoughDuration(6 * MINUTE + 38 * SECOND, en), '6 min')
  assert.equal(formatRoughDuration(6 * MINUTE + 38 * SECOND, zh), '6 分钟')
  assert.equal(formatRoughDuration(412, en), '412 ms')
})

test('a relative time is formatted before and after now', () => {
  const now = Date.parse('2026-11-22T07:40:38Z')
  const cases: [distance: number, english: string, chinese: string][] = [
    [-300, 'just now', '刚刚'],
    [-16 * MINUTE - 50 * SECOND, '16 min ago', '16 分钟前'],
    [17 * SECOND, 'in 17 s', '17 秒后'],
    [-DAY - 23 * HOUR, '1 day ago', '1 天前'],
    [-2 * DAY, '2 days ago', '2 天前'],
    [3 * HOUR, 'in 3 h', '3 小时后'],
  ]
  for (const [distance, english, chinese] of cases) {
    assert.equal(formatRelativeTime(now + distance, now, en), english)
    assert.equal(formatRelativeTime(now + distance, now, zh), chinese)
  }
})

test('a local time ends with its zone', () => {
  const at = Date.parse('2026-11-22T07:40:38Z')
  assert.equal(formatLocalTime(at, english), '22 Nov 2026, 15:40:38 (UTC+8)')
  assert.equal(formatLocalTime(at, chinese), '2026年11月22日 15:40:38 (UTC+8)')
  assert.equal(formatMinute(at, english), '22 Nov 2026, 15:40 (UTC+8)')
  assert.equal(formatMinute(at, chinese), '2026年11月22日 15:40 (UTC+8)')
  assert.equal(formatExactTime(at + 7, english), '22 Nov 2026, 15:40:38.007 (UTC+8)')
  assert.equal(formatExactTime(at + 7, chinese), '2026年11月22日 15:40:38.007 (UTC+8)')
})

test('midnight is the start of a day', () => {
  const at = Date.parse('2026-11-21T16:00:00Z')
  assert.equal(formatLocalTime(at, english), '22 Nov 2026, 00:00:00 (UTC+8)')
  assert.equal(formatShortTime(at, at, chinese), '11月22日 00:00')
  assert.equal(formatShortTime(at, at + 400 * DAY, english), '22 Nov 2026')
})

test('dates and times are those of Intl, on every day of a year', async () => {
  const day = { month: 'short', day: '2-digit' } as const
  const minutes = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  for (const language of LANGUAGES) {
    const { formats: ours } = await localeStateOf(language)
    const withIntl = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(ours.tag, options)
    const formats = {
      clock: withIntl({ ...minutes, second: '2-digit' }),
      day: withIntl(day),
      short: withIntl({ ...day, ...minutes }),
      year: withIntl({ ...day, year: 'numeric' }),
      local: withIntl({ ...day, ...minutes, year: 'numeric', second: '2-digit' }),
    }
    for (let at = Date.parse('2026-01-01T00:00:07Z'); at < Date.parse('2027-01-01'); at += 23 * HOUR) {
      assert.equal(formatClockTime(at), formats.clock.format(at))
      assert.equal(formatDay(at, ours), formats.day.format(at))
      assert.equal(formatShortTime(at, at, ours), formats.short.format(at))
      assert.equal(formatShortTime(at, at + 400 * DAY, ours), formats.year.format(at))
      assert.equal(formatLocalTime(at, ours), `${formats.local.format(at)} (UTC+8)`)
    }
  }
})

test('a zone is its offset from UTC at that time', () => {
  const zoneAt = (name: string, at: string) => {
    process.env['TZ'] = name
    return formatLocalTime(Date.parse(at), english).match(/\((.*)\)$/)?.[1]
  }
  assert.equal(zoneAt('Europe/London', '2026-01-15T12:00:00Z'), 'UTC')
  assert.equal(zoneAt('Europe/London', '2026-07-15T12:00:00Z'), 'UTC+1')
  assert.equal(zoneAt('America/St_Johns', '2026-01-15T12:00:00Z'), 'UTC-3:30')
  process.env['TZ'] = 'Asia/Shanghai'
})

test('numbers are those of Intl', async () => {
  for (const locale of LANGUAGES) {
    const { formatNumber } = await localeStateOf(locale)
    const format = new Intl.NumberFormat(locale, { maximumFractionDigits: 20 })
    for (const value of [
      0,
      7,
      999,
      1000,
      -5,
      -1234.5,
      -12_345_678.125,
      3.2,
      0.1 + 0.2,
      0.0001,
      1e-7,
      1e21,
      123_456_789,
    ]) {
      assert.equal(formatNumber(value), format.format(value))
    }
  }
})

test('a Chinese value has no space between itself and the Chinese text, and a Latin one has', () => {
  assert.equal(zh('configuration.field.managedBy', { manager: '用户' }), '由用户管理')
  assert.equal(zh('configuration.field.managedBy', { manager: 'crm-hooks' }), '由 crm-hooks 管理')
  // what somebody typed keeps its own spaces
  assert.equal(zh('configuration.field.managedBy', { manager: '更新 订单' }), '由更新 订单管理')
  assert.equal(en('configuration.field.managedBy', { manager: '更新 订单' }), 'Managed by 更新 订单')
})
