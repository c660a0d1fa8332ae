import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { FORMAT } from './format.ts'
import { readBackup } from './read-backup.ts'
import { readKeys, writeKeys } from './keys.ts'

test('a file of keys that others would read differently is refused at its line', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'keys-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const key = randomBytes(32).toString('base64')
  const written = join(folder, 'written.keys')
  await writeKeys({ 'sealing.key': key }, written)
  assert.deepEqual(await readKeys(written, join(folder, 'data'), []), { 'sealing.key': key })

  const read = (text: string) => {
    const file = join(folder, 'edited.keys')
    writeFileSync(file, text)
    return readKeys(file, join(folder, 'data'), [])
  }
  const files = (entries: string): string =>
    `{"format":"bundle-console keys 1","at":"2026-01-01T00:00:00.000Z",\n"files":{${entries}}}`
  const refused: [entries: string, message: RegExp][] = [
    // the second key would silently replace the first, and what it sealed could not be opened again
    [
      `"sealing.key":"${key}","sealing.key":"x"`,
      /edited\.keys is not .*: The key is duplicated in one object \(line 2, column 71\)\. Use another one\.$/,
    ],
    [`"sealing.key":"${key}",`, /: There is a comma before a closing bracket \(line 2, column \d+\)/],
    [`"sealing.key":"${key}\\u0000"`, /: A string contains the character NUL \(line 2, column \d+\)/],
    [`"sealing.key":7`, /edited\.keys is not a file of keys of this program\. Use another one\.$/],
  ]
  for (const [entries, message] of refused) await assert.rejects(read(files(entries)), { message })
})

test('a backup names its keys by fingerprints only, and nothing in its header can control a terminal (H04)', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'backup-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'backup')
  const first = async (changes: object) => {
    const header = { format: FORMAT, at: '', version: '1.0.0', migrations: { runtime: [], bff: [] } }
    const sealingKeys = ['0123456789abcdef']
    writeFileSync(file, gzipSync(`${JSON.stringify({ ...header, sealingKeys, ...changes })}\n`))
    return (await readBackup(file).next()).value?.kind
  }
  assert.equal(await first({}), 'header')
  const title = '\u001b]0;restored\u0007'
  const odd = [{ sealingKeys: [title] }, { at: title }, { version: title }, { build: title }]
  const migrations = { runtime: [{ name: title, sha256: '' }], bff: [] }
  for (const changes of [...odd, { migrations }]) await assert.rejects(first(changes), /damaged/)
})
