import assert from 'node:assert/strict'
import { test } from 'node:test'
import { translator } from '../../../i18n/testing.ts'
import { reportSchema, versionOf, withoutExchanges } from './report-form.ts'

test('a report is about the version that it names, else about the registered one', () => {
  assert.equal(versionOf({ pluginVersion: '2.0.0' }, '1.0.0'), '2.0.0')
  assert.equal(versionOf({ pluginVersion: null }, '1.0.0'), '1.0.0')
  assert.equal(versionOf({}, undefined), null)
  assert.equal(versionOf({ pluginVersion: 'not a key' }, '1.0.0'), null)
  assert.equal(versionOf(undefined, undefined), null)
})

test('exchanges are not sent; everything else is', () => {
  const report = { pluginId: 'p', cases: [{ id: 'a.b', exchanges: [{ url: 'x' }] }, 7] }
  assert.deepEqual(withoutExchanges(report), { pluginId: 'p', cases: [{ id: 'a.b' }, 7] })
  assert.equal(withoutExchanges('text'), 'text')
})

test('a text that is not a report, or that would be read as another, is refused with the reason', async () => {
  const schema = reportSchema('1.0.0', await translator('en'))
  const messages = (report: string) =>
    schema.safeParse({ report, reason: '' }).error?.issues.map(({ message }) => message) ?? []
  assert.deepEqual(messages('{"cases": []}'), [])
  assert.deepEqual(messages(JSON.stringify({ cases: [{ exchanges: ['x'.repeat(300_000)] }] })), [])
  assert.match(messages('{"cases": [],\n"cases": []}').join(), /^Line 2, column 1: The same key/)
  assert.match(messages('{"cases": [9007199254740993]}').join(), /^Line 1, column 12: This number/)
  assert.match(messages('{"cases": [').join(), /^Line 1, column 12: The JSON is incomplete/)
  for (const text of ['', '[]']) assert.match(messages(text).join(), /not a JSON report/)
})
