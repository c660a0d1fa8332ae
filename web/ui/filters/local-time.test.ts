import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localInput, momentOfInput } from './local-time.ts'

test('a time that is formatted and parsed again is the same minute', () => {
  const at = '2026-03-29T12:34:00.000Z'
  assert.equal(momentOfInput(localInput(at)), at)
})

test('an invalid time becomes empty', () => {
  assert.equal(localInput(undefined), '')
  assert.equal(localInput('yesterday'), '')
  assert.equal(momentOfInput(''), undefined)
  assert.equal(momentOfInput('x'), undefined)
})
