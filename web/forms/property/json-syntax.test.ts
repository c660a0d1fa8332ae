import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { findSyntaxError } from './json-syntax.ts'

test('the place of a syntax error is the first character that cannot be there', () => {
  for (const [text, line, column] of [
    ['{"a": x}', 1, 7],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ['{"a": 1,}', 1, 9],
    ['[1, 2', 1, 6],
    ['{"a" 1}', 1, 6],
    ['[1}', 1, 3],
    ['1 2', 1, 3],
    ['', 1, 1],
    ['01', 1, 1],
  ] as const)
    assert.deepEqual(findSyntaxError(text), { line, column }, text)
})

test('a text that is cut off has its error at the end', () => {
  fc.assert(
    fc.property(
      fc.json().filter((text) => text.startsWith('{') || text.startsWith('[')),
      (text) => {
        const cut = text.slice(0, -1)
        assert.deepEqual(findSyntaxError(cut), { line: 1, column: cut.length + 1 })
      },
    ),
  )
})
