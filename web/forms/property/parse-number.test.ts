import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseNumber, readNumber } from './parse-number.ts'

test('a number is read with group separators, as the hint shows it, or with a decimal comma', () => {
  for (const [text, number] of [
    ['1000', 1000],
    ['1,000', 1000],
    ['10,000,000.5', 10_000_000.5],
    ['12 500', 12_500],
    ['12\u00a0500', 12_500],
    ['12\u202f500,25', 12_500.25],
    ['1’000', 1000],
    ['-1,5', -1.5],
    ['0,125', 0.125],
    ['-0,500', -0.5],
    ['00,125', 0.125],
    ['1.50', 1.5],
    ['1e3', 1000],
    ['1.000,5', 1000.5],
    ['1.000.000', 1_000_000],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ] as const)
    assert.equal(parseNumber(text), number, text)
})

test('digits and signs of other keyboards are read, and short forms', () => {
  for (const [text, number] of [
    ['１２３', 123],
    ['－１．５', -1.5],
    ['３。５', 3.5],
    ['１，０００', 1000],
    ['\u22125', -5],
    ['+5', 5],
    ['.5', 0.5],
    ['-.5', -0.5],
    [',5', 0.5],
    ['5.', 5],
    ['+1.e3', 1000],
  ] as const)
    assert.equal(parseNumber(text), number, text)
})

test('other texts are not numbers', () => {
  for (const text of [
    '',
    '-',
    '+',
    '.',
    '-.',
    '1,00,000',
    '1,000 000',
    '1.00.000',
    '0x10',
    'ten',
    '5²',
    '½',
    '1e',
    '1-2',
  ])
    assert.deepEqual(readNumber(text), { kind: 'none' }, text)
})

test('a number that would not be kept as written is not rounded', () => {
  for (const text of [
    '12345678901234567890',
    '-9007199254740993',
    '12,345,678,901,234,567,890',
    '12345678901234567.5',
    '1e-400',
    '.12345678901234567891',
    '１２３４５６７８９０１２３４５６７８９０',
  ])
    assert.equal(readNumber(text).kind, 'inexact', text)
  assert.deepEqual(readNumber('9007199254740993'), { kind: 'inexact', nearest: 9007199254740992 })
  assert.deepEqual(readNumber('1e999'), { kind: 'tooLarge' })
})

test('of a text with two readings, the one that was taken is told', () => {
  const taken = (text: string) => {
    const reading = readNumber(text)
    return reading.kind === 'number' ? reading.taken : undefined
  }
  assert.deepEqual(taken('1.000'), { sign: '.', as: 'decimal' })
  assert.deepEqual(taken('-1,500'), { sign: ',', as: 'thousands' })
  assert.deepEqual(taken('1.000,5'), { sign: ',', as: 'decimal' })
  assert.deepEqual(taken('1.000.000'), { sign: '.', as: 'thousands' })
  for (const text of ['1000', '1,5', '0.125', '0,125', '1.5', '1,000.5', '1,000,000', '1 000', '1 000,5'])
    assert.equal(taken(text), undefined, text)
})
