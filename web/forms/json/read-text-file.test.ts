import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { translator } from '../../i18n/testing.ts'
import { readTextFile } from './read-text-file.ts'

const t = await translator('en')
const read = (bytes: Uint8Array<ArrayBuffer> | string, maxBytes = 5 * 1024 * 1024) =>
  readTextFile(new Blob([bytes]), { maxBytes, t })
const refusal = async (bytes: Uint8Array<ArrayBuffer> | string) => (await read(bytes)).refusal

describe('readTextFile', () => {
  it('reads UTF-8 as it is, without its byte order mark', async () => {
    await fc.assert(
      fc.asyncProperty(
        // no NUL at the start, which would be UTF-16
        fc
          .string({ unit: 'binary' })
          .filter((text) => text.isWellFormed() && !/^.{0,3}\0|^\ufeff/s.test(text)),
        async (text) => assert.equal((await read(text)).text, text),
      ),
    )
    assert.equal((await read(Buffer.from('\ufeff{"a": 1}'))).text, '{"a": 1}')
    assert.equal((await read('')).text, '')
  })

  it('refuses UTF-16, with and without a byte order mark', async () => {
    const utf16 = Buffer.from('{"name": "Zoë"}', 'utf16le')
    for (const bytes of [
      utf16,
      Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]),
      Buffer.from(utf16).swap16(),
    ])
      assert.match((await refusal(bytes)) ?? '', /^The file is UTF-16\. Save it as UTF-8/)
  })

  it('refuses Latin-1 and other bytes that are not UTF-8, and says where', async () => {
    const place = (line: number, column: number) =>
      `The file is not UTF-8 text (line ${line}, column ${column}). Save it as UTF-8, and choose it again.`
    assert.equal(await refusal(Buffer.from('{\n  "name": "Zoë"}', 'latin1')), place(2, 14))
    assert.equal(await refusal(Buffer.from([0x80])), place(1, 1))
    assert.equal(await refusal(Buffer.from([0x61, 0xc0, 0xaf])), place(1, 2))
    assert.equal(await refusal(Buffer.from([0x61, 0x0a, 0xed, 0xa0, 0x80])), place(2, 1))
    // a character that is cut off at the end
    assert.equal(await refusal(Buffer.from('aé😀').subarray(0, -1)), place(1, 3))
  })

  it('does not read a file that is too large', async () => {
    const { text, refusal: why } = await read('x'.repeat(1024 * 1024 + 1), 1024 * 1024)
    assert.equal(text, null)
    assert.equal(why, 'The file is larger than 1 MiB. Choose a smaller one.')
  })
})
