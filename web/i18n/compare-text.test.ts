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
  'Mailbox 10',
  'Mailbox 9 a',
  'v1.10.2',
  'v1.9.12',
  'v1.9',
  'a1',
  'a12b',
  'Élan',
  '邮箱',
]

test('texts have the order of a collator, with numbers by value', () => {
  const sign = (order: number) => Math.sign(order)
  const collator = new Intl.Collator('en', { numeric: true })
  for (const one of texts) {
    for (const other of texts) {
      assert.equal(sign(compareText(one, other)), sign(collator.compare(one, other)), `${one} and ${other}`)
    }
  }
})
