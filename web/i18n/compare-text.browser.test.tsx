import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareText } from './compare-text.ts'

test('texts are sorted without regard to case and accents, with numbers by value', () => {
  const sorted = ['a1', 'a12b', 'Élan', 'elf', 'mailbox', 'Mailbox 2', 'Mailbox 10', 'v1.9.12', 'v1.10.2']
  assert.deepEqual(sorted.toReversed().toSorted(compareText), sorted)
})
