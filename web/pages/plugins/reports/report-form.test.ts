import assert from 'node:assert/strict'
import { test } from 'node:test'
import { versionOf, withoutExchanges } from './report-form.ts'

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
