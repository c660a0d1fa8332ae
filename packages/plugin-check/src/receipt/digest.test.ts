import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import canonicalize from 'canonicalize'
import { receiptOf } from '../../testing/receipt.ts'
import { digestOf } from './digest.ts'

// with the library of the runtime, which makes the receipts
test('the digest is that of the canonical form, whatever the order of the names', () => {
  const { sha256, ...receipt } = receiptOf('INSTALL', 'spring')
  const odd = {
    é: 1e21,
    'a"': [-0, 0.1, null, '\u2028\u0007/'],
    '\u{1f600}': {},
    '\ufb33': true,
    '': 'ü',
    10: 1,
  }
  for (const json of [receipt, odd])
    assert.equal(
      digestOf(json),
      createHash('sha256')
        .update(canonicalize(json) ?? '')
        .digest('hex'),
    )
  assert.equal(digestOf(Object.fromEntries(Object.entries(receipt).toReversed())), sha256)
})
