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
    ['0,125', 0.125],
    ['-0,500', -0.5],
    ['00,125', 0.125],
    ['1.50', 1.5],
    ['1e3', 1000],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ] as const)
    assert.equal(parseNumber(text), number, text)
})

test('other texts are not numbers', () => {
  for (const text of ['', '-', '1.', '1,00,000', '1,000 000', '1.000.000', '0x10', '1e999', 'ten'])
    assert.equal(parseNumber(text), null, text)
})

test('an integer that a number cannot hold exactly is not rounded', () => {
  for (const text of ['12345678901234567890', '-9007199254740992', '12,345,678,901,234,567,890'])
    assert.equal(parseNumber(text), null, text)
})
