import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTime } from './parse-time.ts'

const NOW = new Date(2026, 10, 23, 10, 15).getTime()
const at = (day: number, hour: number, minute: number) => new Date(2026, 10, day, hour, minute).toISOString()

for (const [text, since, until] of [
  ['yesterday 14:00', at(22, 13, 30), at(22, 14, 30)],
  ['Yesterday at 2pm', at(22, 13, 30), at(22, 14, 30)],
  ['昨天 14:00', at(22, 13, 30), at(22, 14, 30)],
  ['昨天下午2点', at(22, 13, 30), at(22, 14, 30)],
  ['昨天下午2点半', at(22, 14, 0), at(22, 15, 0)],
  ['前天晚上11点20分', at(21, 22, 50), at(21, 23, 50)],
  ['yesterday', at(22, 0, 0), at(23, 0, 0)],
  ['今天', at(23, 0, 0), at(24, 0, 0)],
  ['9:30', at(23, 9, 0), at(23, 10, 0)],
  // the last one that has passed
  ['23:30', at(22, 23, 0), at(23, 0, 0)],
  ['today 12am', at(22, 23, 30), at(23, 0, 30)],
  ['today 12pm', at(23, 11, 30), at(23, 12, 30)],
  ['2026-11-20 08:05', at(20, 7, 35), at(20, 8, 35)],
  ['11月20日 8点', at(20, 7, 30), at(20, 8, 30)],
] as const)
  test(`${text} is an hour or a day`, () => assert.deepEqual(parseTime(text, NOW), { since, until }))

test('what is not a time is not understood', () => {
  for (const text of ['', 'soon', '25:00', '14:60', 'yesterday 14:00 or so', '2026-02-31', '13月1日', 'at'])
    assert.equal(parseTime(text, NOW), null, text)
})
