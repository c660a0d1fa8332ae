import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { describeProduct, thisProduct } from './version.ts'

const folder = mkdtempSync(join(tmpdir(), 'version-'))
after(() => rmSync(folder, { recursive: true }))
const COMMIT = '0123456789abcdef0123456789abcdef01234567'

/** A source tree with these files. */
function place(name: string, files: Record<string, string>): URL {
  for (const [path, text] of Object.entries({ 'package.json': '{"version":"1.2.3"}', ...files })) {
    mkdirSync(join(folder, name, path, '..'), { recursive: true })
    writeFileSync(join(folder, name, path), text)
  }
  return pathToFileURL(`${join(folder, name)}/`)
}

test('the build is the commit of a release, of a clone, or of a worktree', async () => {
  const released = place('released', { BUILD: `${COMMIT}\n` })
  const clone = place('clone', {
    '.git/HEAD': 'ref: refs/heads/main\n',
    '.git/refs/heads/main': `${COMMIT}\n`,
  })
  const packed = place('packed', {
    '.git/HEAD': 'ref: refs/heads/main\n',
    '.git/packed-refs': `# pack-refs\n${COMMIT} refs/heads/main\n`,
  })
  const detached = place('detached', { '.git/HEAD': `${COMMIT}\n` })
  place('copies', {
    'one/HEAD': 'ref: refs/heads/main\n',
    'one/commondir': '../\n',
    'refs/heads/main': COMMIT,
  })
  const worktree = place('worktree', { '.git': `gitdir: ${join(folder, 'copies', 'one')}\n` })
  for (const root of [released, clone, packed, detached, worktree])
    assert.deepEqual(await thisProduct(root), { version: '1.2.3', build: COMMIT }, root.href)
})

test('without any of these it is not known, and not shown', async () => {
  const product = await thisProduct(place('plain', { '.git/HEAD': 'ref: refs/heads/none\n' }))
  assert.equal(describeProduct(product), 'version 1.2.3')
  assert.equal(describeProduct({ version: '1.2.3', build: COMMIT }), 'version 1.2.3, build 0123456789ab')
})
