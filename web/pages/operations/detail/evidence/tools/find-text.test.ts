import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findText } from './find-text.ts'

test('a text is found in upper and lower case, and its characters mean themselves', () => {
  const found = (text: string, query: string) =>
    findText(text, query).map(({ start, end }) => [start, text.slice(start, end)])
  assert.deepEqual(found('Mail, MAIL and email', 'mail'), [
    [0, 'Mail'],
    [6, 'MAIL'],
    [16, 'mail'],
  ])
  for (const query of ['a.b', '(', '[x]', '\\', '^', '$', '{1}', '*', '+?', '|'])
    assert.deepEqual(found(`- ${query} -`, query), [[2, query]], query)
  assert.deepEqual(found('axb', 'a.b'), [])
  assert.deepEqual(found('İ mail', 'mail'), [[2, 'mail']])
  assert.deepEqual(found('aaa', ''), [])
})

test('the matches are limited', () => {
  assert.equal(findText('x'.repeat(5_000), 'x').length, 1_000)
})
