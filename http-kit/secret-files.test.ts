import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { persistentSecret } from './secret-files.ts'

describe('persistentSecret', async () => {
  const root = await mkdtemp(join(tmpdir(), 'secret-'))
  after(() => rm(root, { recursive: true }))
  const directory = join(root, 'data')

  it('is created once, even by concurrent callers, and readable by its owner only', async () => {
    let count = 0
    const get = () => persistentSecret({ directory, file: 'a', make: () => `secret ${count++}` })
    const secrets = await Promise.all(Array.from({ length: 20 }, get))
    assert.equal(new Set([...secrets, await get()]).size, 1)
    assert.equal((await stat(join(directory, 'a'))).mode & 0o777, 0o600)
    assert.equal((await stat(directory)).mode & 0o777, 0o700)
    assert.deepEqual(await readdir(directory), ['a'])
  })
})
