import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readStrictJson } from './strict-json.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text)

it('reads the bytes of a body', () => {
  assert.deepEqual(readStrictJson(bytes('{"name":"Zoë 漢字 😀"}')), { name: 'Zoë 漢字 😀' })
})

it('refuses what is not UTF-8, a byte order mark, and what the reader of texts refuses', () => {
  assert.throws(() => readStrictJson(Buffer.from([0x22, 0xff, 0x22])), /not valid UTF-8/)
  assert.throws(() => readStrictJson(bytes('\ufeff{}')), /value is expected/)
  assert.throws(() => readStrictJson(bytes('{"a":1,"a":2}')), /duplicated/)
})
