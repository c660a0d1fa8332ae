import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import canonicalize from 'canonicalize'
import { operation } from '../operations/detail/calls/testing.ts'
import { readReceipt, RECEIPT_BYTES_MAX } from './read-receipt.ts'

/** A file with the right digest of whatever it contains. */
function fileOf(changed: object = {}): string {
  const content = {
    format: 'bundle-console/operation-receipt',
    version: 1,
    exportedAt: '2026-11-22T10:00:00.000Z',
    exportedBy: { id: 'u1', name: 'Sam' },
    operation: operation(),
    ...changed,
  }
  const sha256 = createHash('sha256')
    .update(canonicalize(content) ?? '')
    .digest('hex')
  return JSON.stringify({ ...content, sha256 }, null, 2)
}

const reasonOf = async (text: string) => {
  const reading = await readReceipt(new Blob([text]))
  return reading.kind === 'refused' ? reading.reason : reading.kind
}

test('an unchanged receipt opens, whatever the order and the white space of its file', async () => {
  assert.equal(await reasonOf(fileOf()), 'receipt')
  const reversed = Object.fromEntries(Object.entries(JSON.parse(fileOf()) as object).toReversed())
  assert.equal(await reasonOf(JSON.stringify(reversed)), 'receipt')
})

test('any other file is refused with the reason', async () => {
  assert.equal(await reasonOf(fileOf().replace('SUCCEEDED', 'FAILED')), 'altered')
  assert.equal(await reasonOf(fileOf().replace('"Sam"', '"Eve"')), 'altered')
  assert.equal(await reasonOf(fileOf().replace(/"sha256": ".{64}"/, '"sha256": ""')), 'altered')
  assert.equal(await reasonOf(fileOf().replace('"Sam"', String.raw`"\ud800"`)), 'altered')
  // the digest of the last of two keys, and of a rounded number, would be right
  assert.equal(await reasonOf(fileOf().replace('"name": "Sam"', '"name": "Eve",\n"name": "Sam"')), 'altered')
  assert.equal(
    await reasonOf(fileOf().replace('"version": 1', '"version": 1.0000000000000000001')),
    'altered',
  )
  assert.equal(await reasonOf(fileOf({ version: 2 })), 'version')
  assert.equal(await reasonOf(fileOf({ format: 'bundle-console/operation' })), 'notReceipt')
  assert.equal(await reasonOf('[]'), 'notReceipt')
  assert.equal(await reasonOf(fileOf().slice(0, -10)), 'notJson')
  // a digest proves only that nothing was changed by accident: the content is checked too
  assert.equal(await reasonOf(fileOf({ operation: { state: '<img src=x>' } })), 'invalid')
})

test('a file that is too large is not read', async () => {
  const file = new Blob([fileOf()])
  Object.defineProperty(file, 'size', { value: RECEIPT_BYTES_MAX + 1 })
  assert.deepEqual(await readReceipt(file), { kind: 'refused', reason: 'tooLarge' })
})

test('a file that changes after it was chosen is refused, and can be chosen again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'receipt-'))
  try {
    const path = join(folder, 'receipt.json')
    await writeFile(path, fileOf())
    const chosen = await openAsBlob(path)
    await writeFile(path, `${fileOf()} `)
    const reading = await readReceipt(chosen)
    assert.deepEqual(reading, { kind: 'refused', reason: 'unreadable' })
    assert.equal((await readReceipt(await openAsBlob(path))).kind, 'receipt')
  } finally {
    await rm(folder, { recursive: true })
  }
})
