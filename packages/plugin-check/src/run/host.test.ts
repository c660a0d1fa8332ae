import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../../../database/free-port.ts'
import { referenceProfile } from '../../testing/reference-profile.ts'
import { parseProfile } from '../profile.ts'
import { check } from '../commands/check.ts'
import { createHost, isListening } from './host.ts'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + 60_000
  while (!(await condition())) {
    assert.ok(performance.now() < giveUpAt, 'it did not happen within a minute')
    await wait(20)
  }
}

// What a terminal sends for Ctrl+C, and when it is closed.
for (const signal of ['SIGINT', 'SIGHUP'] as const)
  test(`a checker that ends with ${signal} ends the plugin that it has started`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'plugin-check-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const port = await freePort()
    const address = `http://127.0.0.1:${port}`
    const profile = join(folder, 'profile.json')
    writeFileSync(
      profile,
      JSON.stringify(referenceProfile(address, { file: join(folder, 'state'), defect: '' })),
    )
    const options = [
      '--url',
      `${address}/lifecycle`,
      '--profile',
      profile,
      '--platform-port',
      '0',
      '--store',
      folder,
    ]
    const inTerminal = ['--import', 'data:text/javascript,process.stdout.isTTY = true']
    const checker = spawn(process.execPath, [...inTerminal, MAIN, 'run', ...options], { stdio: 'ignore' })
    t.after(() => checker.kill('SIGKILL'))
    await until(() => listens(port))
    checker.kill(signal)
    await once(checker, 'exit')
    await until(async () => !(await listens(port)))
  })

test('a plugin that ends while it starts is reported at once, with what it printed', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'plugin-check-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const address = `http://127.0.0.1:${await freePort()}`
  const profile = referenceProfile(address, { file: join(folder, 'state'), defect: '' })
  const command = [process.execPath, '-e', 'console.error("no database"); process.exit(3)']
  const file = join(folder, 'profile.json')
  writeFileSync(file, JSON.stringify({ ...profile, start: { ...profile.start, command } }))
  const options = ['--url', `${address}/lifecycle`, '--profile', file, '--platform-port', '0']
  const checker = spawn(process.execPath, [MAIN, 'run', ...options, '--store', folder])
  const errors = checker.stderr.toArray()
  assert.deepEqual(await once(checker, 'exit'), [2, null])
  const printed = Buffer.concat((await errors) as Buffer[]).toString()
  assert.match(printed, /The plugin ended with 3 before it accepted connections.*no database/)
})

/** A program under a launcher, as npx and a shell start one: it listens, and ends when it is asked for /end. */
async function launched(t: TestContext) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const program = `require('node:http').createServer((request, response) => {
    response.end()
    if (request.url === '/end') { console.error('Error: out of memory'); process.exit(7) }
  }).listen(${port}, '127.0.0.1')`
  const launcher = `process.exitCode = require('node:child_process').spawnSync(process.execPath, ['-e', ${JSON.stringify(program)}], { stdio: 'inherit' }).status`
  const start = { command: [process.execPath, '-e', launcher] }
  const profile = parseProfile({ pluginId: 'p', resources: { 'production/crm/MODULE/core': {} }, start }, '')
  const host = createHost(profile, url, { platform: '', credential: '' })
  assert.ok(host)
  t.after(() => host.kill())
  await host.start()
  return { host, url }
}

test('a plugin under a launcher is killed with it, and has ended when it is started again', async (t) => {
  const { host, url } = await launched(t)
  for (let round = 0; round < 3; round++) {
    await host.kill()
    assert.equal(await isListening(url), false)
    assert.equal(host.endedByItself(), null)
    await host.start()
  }
})

test('a plugin that ends by itself is told by its last error', async (t) => {
  const { host, url } = await launched(t)
  await fetch(`${url}/end`)
  await until(() => Promise.resolve(host.endedByItself() !== null))
  assert.match(
    host.endedByItself() ?? '',
    /^The plugin ended by itself with 7\. It printed: Error: out of memory/,
  )
  await host.start()
  assert.equal(host.endedByItself(), null)
})

test('a plugin that crashes in its first call is the reason, whatever else is missing', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'plugin-check-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const address = `http://127.0.0.1:${await freePort()}`
  const program = `require('node:http').createServer((request, response) => {
    response.end('{}', () => { throw new Error('no license') })
  }).listen(${new URL(address).port}, '127.0.0.1')`
  const profile = referenceProfile(address, { file: join(folder, 'state'), defect: '' })
  const command = [process.execPath, '-e', program]
  await assert.rejects(
    check({
      url: `${address}/lifecycle`,
      profile: { ...profile, start: { command, env: {}, readyWithinMs: 60_000 } },
      seed: 1,
      platformPort: 0,
      cases: [],
    }),
    /^UsageError: The plugin ended by itself with 1\. It printed: Error: no license$/,
  )
})
