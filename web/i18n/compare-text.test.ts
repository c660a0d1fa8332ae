import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareText } from './compare-text.ts'

const ASCII = Array.from({ length: 0x5f }, (_, index) => String.fromCharCode(0x20 + index))

/** All pairs of characters, alone and between equal and different letters. */
const texts = [
  '',
  ...ASCII,
  ...ASCII.flatMap((character) => [`a${character}b`, `A${character}c`, `a${character}`]),
  'Mailbox',
  'mailbox',
  'Mailbox 2',
  'mailBox 2',
  'Élan',
  '邮箱',
]

test('texts have the order of localeCompare', () => {
  const sign = (order: number) => Math.sign(order)
  for (const one of texts) {
    for (const other of texts) {
      assert.equal(sign(compareText(one, other)), sign(one.localeCompare(other, 'en')), `${one} and ${other}`)
    }
  }
})
