import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localInput, momentOfInput } from './local-time.ts'

test('a moment that is shown and read again is the same minute', () => {
  const at = '2026-03-29T12:34:00.000Z'
  assert.equal(momentOfInput(localInput(at)), at)
})

test('what is no moment is nothing', () => {
  assert.equal(localInput(undefined), '')
  assert.equal(localInput('yesterday'), '')
  assert.equal(momentOfInput(''), undefined)
  assert.equal(momentOfInput('x'), undefined)
})
