import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it, test } from 'node:test'

import { freePort } from '#database/free-port.ts'
import { root } from './process.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'run-'))
after(() => rmSync(dataDir, { recursive: true }))

test('a relative path begins where the command was called', () => {
  const { stderr } = spawnSync(
    process.execPath,
    [join(root, 'scripts/run.mjs'), 'restore', '--from', 'missing.gz'],
    { cwd: dataDir, env: { ...process.env, DATA_DIR: join(dataDir, 'restored') }, encoding: 'utf8' },
  )
  assert.equal(stderr, `There is no file ${join(dataDir, 'missing.gz')}\n`)
})

describe('a program that npm started', { skip: process.platform === 'win32' && 'no signals there' }, () => {
  it('ends when npm gets SIGTERM', { timeout: 60_000 }, async () => {
    // it waits up to a minute and a half for a database on an unused port
    const npm = spawn('npm', ['run', '--silent', 'start:runtime', '--', '--worker'], {
      cwd: root,
      env: {
        ...process.env,
        DATA_DIR: dataDir,
        RUNTIME_PORT: String(await freePort()),
        DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none',
        DATABASE_WAIT_SECONDS: '90',
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [output] = (await once(npm.stdout, 'data')) as [Buffer]
    assert.match(output.toString(), /waiting for the database/)
    npm.kill('SIGTERM')
    // the pipe ends when the last process that writes to it has ended
    npm.stdout.resume()
    await once(npm, 'close')
  })
})
