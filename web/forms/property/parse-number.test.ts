import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseNumber } from './parse-number.ts'

test('a number is read with group separators, as the hint shows it, or with a decimal comma', () => {
  for (const [text, number] of [
    ['1000', 1000],
    ['1,000', 1000],
    ['10,000,000.5', 10_000_000.5],
    ['12 500', 12_500],
    ['12\u00a0500', 12_500],
    ['1’000', 1000],
    ['-1,5', -1.5],
    ['1.50', 1.5],
    ['1e3', 1000],
  ] as const)
    assert.equal(parseNumber(text), number, text)
})

test('other texts are not numbers', () => {
  for (const text of ['', '-', '1.', '1,00,000', '1,000 000', '1.000.000', '0x10', '1e999', 'ten'])
    assert.equal(parseNumber(text), null, text)
})
