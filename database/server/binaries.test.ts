import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
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

test(
  'what somebody else puts into the place of a copy meanwhile is not run',
  { skip: process.platform === 'win32' && 'no temporary folder that others share' },
  () => {
    const directory = mkdtempSync(join(base, 'package-'))
    const cache = mkdtempSync('/tmp/binaries-cache-')
    after(() => rmSync(cache, { recursive: true }))
    chmodSync(cache, 0o777)
    const program = (major: number) => `#!/bin/sh\necho "postgres (PostgreSQL) ${major}.1"\n`
    mkdirSync(join(directory, 'native', 'bin'), { recursive: true })
    // only a copy can be run
    writeFileSync(join(directory, 'native', 'bin', 'postgres'), program(18), { mode: 0o644 })
    // the list of links is read from a pipe, and so not before the other has taken the place
    const list = join(directory, 'native', 'pg-symlinks.json')
    assert.equal(spawnSync('mkfifo', [list]).status, 0)
    const place = join(cache, `bundle-console-postgresql-1-${process.getuid?.()}`)
    const other = `until ls -d "$1"-*; do :; done; mkdir -p "$1/native/bin"; chmod 777 "$1"
      printf %s "$2" > "$1/native/bin/postgres"; chmod 755 "$1/native/bin/postgres"; echo '[]' > "$3"`
    spawn('sh', ['-c', other, 'sh', place, program(99), list], { stdio: 'ignore' })
    const { postgres, major } = findBinaries(user, { directory, version: '1', cache })
    assert.equal(major, 18)
    assert.ok(!postgres.startsWith(`${place}/`), postgres)
  },
)

test('reports why programs do not run', () => {
  assert.throws(
    () => binariesIn(join(base, 'none'), user),
    /does not run \(.*ENOENT|EACCES.*\); set DATABASE_URL/,
  )
})
