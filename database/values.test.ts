import assert from 'node:assert/strict'
import { test } from 'node:test'

import { toRfc3339, toSafeInteger, valueTypes } from './values.ts'

test('an int8 is a number if it is exact', () => {
  assert.equal(toSafeInteger('0'), 0)
  assert.equal(toSafeInteger('9007199254740991'), Number.MAX_SAFE_INTEGER)
  assert.equal(toSafeInteger('-9007199254740991'), Number.MIN_SAFE_INTEGER)
  for (const value of [
    '9007199254740992',
    '9007199254740993',
    '-9007199254740992',
    '9223372036854775807',
    'NaN',
  ]) {
    assert.throws(() => toSafeInteger(value), RangeError, value)
  }
})

test('a timestamptz is RFC 3339 in UTC with milliseconds, truncated', () => {
  assert.equal(toRfc3339('2026-01-01 00:00:00+00'), '2026-01-01T00:00:00.000Z')
  assert.equal(toRfc3339('2026-01-01 00:00:00.1+00'), '2026-01-01T00:00:00.100Z')
  assert.equal(toRfc3339('2026-12-31 23:59:59.999999+00'), '2026-12-31T23:59:59.999Z')
  for (const value of ['infinity', '-infinity', '0044-03-15 00:00:00+00 BC', '10000-01-01 00:00:00+00']) {
    assert.throws(() => toRfc3339(value), RangeError, value)
  }
  for (const value of ['2026-01-01 00:00:00+02', '01/03/2026 07:00:00 EST', 'Thu Jan 01 00:00:00 2026 CET'])
    assert.throws(
      () => toRfc3339(value),
      /TimeZone UTC and DateStyle ISO \(docs\/operating\/postgresql.md/,
      value,
    )
  assert.throws(
    () => toRfc3339('infinity'),
    (error: Error) => !error.message.includes('TimeZone'),
  )
})

test('JSON has the keys that are stored, whatever keys other values have', () => {
  for (const oid of [114, 3802]) {
    const parse = valueTypes.getTypeParser(oid) as (text: string) => unknown
    for (const text of ['{"o":1,"\\\\":2}', '{"o":1,"\\"":3}'])
      assert.equal(JSON.stringify(parse(text)), text)
  }
})
