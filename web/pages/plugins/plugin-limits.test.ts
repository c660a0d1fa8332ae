import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readLimit } from './plugin-limits.ts'

test('an empty limit means the default', () => {
  assert.equal(readLimit('timeoutMs', '  '), undefined)
})

test('a limit is a whole number in its range', () => {
  assert.equal(readLimit('timeoutMs', '100'), 100)
  assert.equal(readLimit('maxAttempts', ' 100 '), 100)
  for (const text of ['99', '300001', '1.5', '1e3', '-5', 'a'])
    assert.equal(readLimit('timeoutMs', text), 'invalid')
})
