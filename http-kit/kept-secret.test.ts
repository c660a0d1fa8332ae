import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { keptSecret } from './kept-secret.ts'

describe('keptSecret', async () => {
  const root = await mkdtemp(join(tmpdir(), 'kept-'))
  after(() => rm(root, { recursive: true }))
  const directory = join(root, 'data')

  it('is made once, even by many at once, and readable by its owner only', async () => {
    let count = 0
    const get = () => keptSecret({ directory, file: 'a', make: () => `secret ${count++}` })
    const secrets = await Promise.all(Array.from({ length: 20 }, get))
    assert.equal(new Set([...secrets, await get()]).size, 1)
    assert.equal((await stat(join(directory, 'a'))).mode & 0o777, 0o600)
    assert.equal((await stat(directory)).mode & 0o777, 0o700)
    assert.deepEqual(await readdir(directory), ['a'])
  })
})
