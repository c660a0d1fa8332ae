import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { loadActorKey, makeActorKey } from './actor-assertion.ts'

test('a key file that others would read differently is refused at its line, without its content', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'actor-key-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'key.json')
  const key = await makeActorKey()
  const load = async (text: string) => {
    await writeFile(file, text, { mode: 0o600 })
    return loadActorKey(folder, file)
  }
  assert.ok((await load(key)).kid)
  for (const [text, message] of [
    [key.replace('{', '{"d":"c2VjcmV0",\n'), /key\.json .*: The key is duplicated in one object \(line 2, /],
    [
      key.replace(/\}$/, ',}'),
      /: There is a comma before a closing bracket \(line 1, column \d+\); correct it/,
    ],
    [key.slice(0, -1), /: The JSON text is incomplete \(line 1, column \d+\)/],
    ['{"kty":"oct","k":"c2VjcmV0"}', /is not a private Ed25519 key in JWK form; restore it$/],
  ] as const)
    await assert.rejects(
      load(text),
      (error) => error instanceof Error && message.test(error.message) && !error.message.includes('c2Vj'),
    )
  assert.equal(await readFile(file, 'utf8'), '{"kty":"oct","k":"c2VjcmV0"}')
})

test('a public key set that others would read differently is refused, and leaves no key behind', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'actor-key-'))
  t.after(() => rm(folder, { recursive: true }))
  const [out, published] = [join(folder, 'key.json'), join(folder, 'keys.json')]
  await writeFile(published, '{"keys":[],\n"keys":[]}')
  const command = fileURLToPath(new URL('../commands/make-assertion-key.ts', import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [command, '--out', out, '--public', published], {
    encoding: 'utf8',
  })
  assert.equal(status, 1)
  assert.match(
    stderr,
    /keys\.json is not a key set: The key is duplicated in one object \(line 2, column 1\)/,
  )
  assert.ok(!existsSync(out))
})
