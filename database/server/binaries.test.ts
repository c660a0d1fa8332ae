import assert from 'node:assert/strict'
import { chmodSync, cpSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'

import { binariesIn, findBinaries, installedPackage } from './binaries.ts'
import { serverUser } from './os-user.ts'

const user = serverUser('')
const base = mkdtempSync(join(tmpdir(), 'binaries-'))
after(() => rmSync(base, { recursive: true }))

test('the installed programs are used in place', () => {
  const installed = installedPackage()
  const { postgres, major } = findBinaries(user, installed)
  assert.equal(dirname(dirname(dirname(postgres))), installed.directory)
  assert.equal(major, 18)
})

test(
  'programs that cannot run in place (not accessible, links missing) are copied once',
  { skip: process.platform === 'win32' && 'no links in the original' },
  () => {
    const installed = installedPackage()
    // Mode 0700, like /root, and without links, as after "npm install --ignore-scripts".
    const directory = mkdtempSync(join(base, 'closed-'))
    const cache = mkdtempSync('/tmp/binaries-cache-')
    after(() => rmSync(cache, { recursive: true }))
    cpSync(installed.directory, directory, {
      recursive: true,
      filter: (path) => !lstatSync(path).isSymbolicLink(),
    })
    const place = { ...installed, directory, cache }
    // The cache is closed only by mkdtemp; the real one is open.
    chmodSync(cache, 0o755)
    const first = findBinaries(user, place)
    assert.ok(first.postgres.startsWith(cache))
    assert.deepEqual(binariesIn(dirname(first.postgres), user), first)
    assert.deepEqual(findBinaries(user, place), first)
    assert.equal(readdirSync(cache).length, 1)
  },
)

test('reports why programs do not run', () => {
  assert.throws(
    () => binariesIn(join(base, 'none'), user),
    /does not run \(.*ENOENT|EACCES.*\); set DATABASE_URL/,
  )
})
