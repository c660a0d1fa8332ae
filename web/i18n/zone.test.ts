import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { formatLocalTime } from './format.ts'
import { localDate, setTimeZone, zoneOffset } from './zone.ts'

const zone = process.env['TZ']
afterEach(() => (zone === undefined ? delete process.env['TZ'] : (process.env['TZ'] = zone)))

const HOUR = 3_600_000
/** With a zone that changes its clocks at 01:00 UTC, one with half hours, one without changes, one on the date line. */
const ZONES = [
  'Europe/Berlin',
  'Australia/Darwin',
  'Asia/Shanghai',
  'Pacific/Auckland',
  'America/St_Johns',
  'UTC',
]

test('the server has the offset of every zone that a browser in that zone has, in every hour of a year', () => {
  const first = Date.parse('2026-01-01T00:30:00Z')
  for (const name of ZONES) {
    process.env['TZ'] = name
    setTimeZone(name)
    for (let at = first; at < first + 366 * 24 * HOUR; at += HOUR)
      assert.equal(
        zoneOffset(at) + new Date(at).getTimezoneOffset(),
        0,
        `${name} at ${new Date(at).toISOString()}`,
      )
  }
})

test('times are those of the zone that was set, not of the machine', () => {
  process.env['TZ'] = 'UTC'
  const at = Date.parse('2026-07-01T22:15:30.250Z')
  setTimeZone('Asia/Shanghai')
  assert.equal(formatLocalTime(at, 'en'), '02 Jul 2026, 06:15:30 (UTC+8)')
  assert.equal(localDate(at).getUTCMilliseconds(), 250)
  setTimeZone('Europe/Berlin')
  assert.equal(formatLocalTime(at, 'zh'), '2026年7月02日 00:15:30 (UTC+2)')
})
