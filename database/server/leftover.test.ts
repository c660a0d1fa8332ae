import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { stopLeftover } from './leftover.ts'
import { findBinaries } from './binaries.ts'

const log = { info: () => {}, warn: () => {}, error: () => {} }

test('a server killed during its shutdown leaves no pid file that blocks the next start', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'leftover-'))
  // looks like a running server, and ends on a signal without removing its pid file
  const server = spawn('sleep', ['60'], { argv0: `postgres -D ${directory}`, stdio: 'ignore' })
  const exited = once(server, 'exit')
  const note = join(directory, 'postmaster.pid')
  try {
    writeFileSync(note, `${server.pid}\n${directory}\n1700000000\n5432\n/tmp/gone\n\n 1 1\nready\n`)
    await stopLeftover(
      { directory, runDirectory: directory, binaries: findBinaries(undefined), user: undefined },
      log,
    )
    assert.deepEqual(await exited, [null, 'SIGINT'])
    const [pid, ...rest] = readFileSync(note, 'utf8').split('\n')
    // no process has this id, even where zombies are never reaped
    assert.equal(pid, String(2 ** 31 - 1))
    // identifies workers that outlived the server
    assert.equal(rest[5], ' 1 1')
  } finally {
    server.kill('SIGKILL')
    rmSync(directory, { recursive: true })
  }
})
