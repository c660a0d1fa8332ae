import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foreignText, isBlank, printable, printableLines } from './foreign-text.ts'

test('a text that nobody sees is blank', () => {
  const unseen = [
    ' ',
    '\t\n',
    '\u00a0',
    '\u00ad',
    '\u034f',
    '\u115f',
    '\u180e',
    '\u200b\u2060',
    '\u2800',
    '\u3000',
  ]
  for (const text of [
    '',
    ...unseen,
    '\u3164',
    '\uffa0',
    '\ufeff',
    '\ufe0f',
    '\u202e',
    '\u0007',
    '\u{e0041}',
    '\u{1d173}',
  ])
    assert.equal(isBlank(`  ${text}`), true, JSON.stringify(text))
  for (const text of ['.', 'é', '\u200bx', '。', '\u0301', '👍'])
    assert.equal(isBlank(text), false, JSON.stringify(text))
})

test('what would mislead the reader is marked, and all else stays (C06)', () => {
  assert.equal(foreignText('Deleted \u202egpj.exe\u202c'), 'Deleted \ufffdgpj.exe\ufffd')
  assert.equal(foreignText('\u001b[31mred\u0007'), '\ufffd[31mred\ufffd')
  assert.equal(foreignText('\u2066x\u2069\u0085'), '\ufffdx\ufffd\ufffd')
  for (const text of ['two\nlines\tand a tab', 'שלום', 'a\u200db', 'naïve 中文'])
    assert.equal(foreignText(text), text)
  assert.equal(foreignText('\u200b \u202e'), null)
})

test('a text of a stranger cannot control a terminal, and all else stays (C06)', () => {
  const text = '\u001b[2J \u202egpj\r\n\ud800 a\u200db'
  assert.equal(printable(text), '\ufffd[2J \ufffdgpj\ufffd\ufffd\ufffd a\u200db')
  assert.equal(printableLines(text), '\ufffd[2J \ufffdgpj\ufffd\n\ufffd a\u200db')
})
