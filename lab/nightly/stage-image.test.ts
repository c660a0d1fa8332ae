import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { freePort } from '#database/free-port.ts'
import { toUrl } from '#database/settings.ts'
import { testDatabase } from '#database/testing.ts'
import type { TestDatabase } from '#database/testing.ts'
import { until } from '#runtime/testing/stream.ts'
import { sessionCookie } from '#bff/testing-browser.ts'
import { buildConsole } from '../../scripts/console-build.ts'
import { runNode } from '../../scripts/process.ts'

// What the image contains, outside of the repository: with its own packages and its own Node.

const skip = process.platform === 'win32' && 'the image is one of Linux'
const folder = mkdtempSync(join(tmpdir(), 'image-'))
const target = join(folder, 'app')
const ended: (() => Promise<void>)[] = []
let database: TestDatabase
before(async () => {
  await buildConsole()
  database = await testDatabase({ migrations: [] })
})
after(async () => {
  await Promise.all(ended.map((end) => end()))
  await database.close()
  rmSync(folder, { recursive: true })
})

test('every program of the image works with what is in it', { skip }, async () => {
  const { code, output } = await runNode(['scripts/stage-image.ts', target], { quiet: true })
  assert.equal(code, 0, output)

  const [port, runtimePort] = [await freePort(), await freePort()]
  const file = (name: string): string => join(folder, name)
  // relative to the folder in which it is run
  const keys = await run('keys:assertion', ['--out', 'key', '--public', 'keys'], {})
  assert.equal(keys.code, 0, keys.output)
  writeFileSync(file('sealing-key'), Buffer.alloc(32, 7).toString('base64'), { mode: 0o400 })
  const shared = {
    DATABASE_URL: toUrl(database.connection),
    RUNTIME_API_CREDENTIAL: 'credential-of-the-image-0123456789',
    DATABASE_MIGRATE: 'off',
  }
  const runtime = {
    ...shared,
    DATA_DIR: file('runtime'),
    RUNTIME_PORT: String(runtimePort),
    SEALING_KEY_FILE: file('sealing-key'),
    ACTOR_ASSERTION_JWKS: file('keys'),
    PLATFORM_API_BASE: `http://127.0.0.1:${runtimePort}`,
  }
  const user = { username: 'ada', password: 'a long password' }
  const origin = `http://localhost:${port}`
  const console = {
    ...shared,
    DATA_DIR: file('console'),
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: origin,
    RUNTIME_API_BASE: `http://127.0.0.1:${runtimePort}`,
    ACTOR_ASSERTION_KEY_FILE: file('key'),
    CONSOLE_USERS: JSON.stringify([{ ...user, roles: ['admin'] }]),
  }
  const migrated = await run('migrate', [], { DATABASE_URL: shared.DATABASE_URL })
  assert.equal(migrated.code, 0, migrated.output)

  const programs = [start('runtime', runtime), start('console', console)]
  const isReady = async (url: string): Promise<boolean> => {
    for (const { child, output } of programs) assert.equal(child.exitCode, null, output())
    return (await fetch(url).catch(() => null))?.status === 200
  }
  await until(() => isReady(`${runtime.PLATFORM_API_BASE}/bundle-runtime/api/readyz`))
  await until(() => isReady(`${origin}/readyz`))
  const cookie = await sessionCookie(origin, user)
  const overview = await fetch(`${origin}/api/summary`, { headers: { cookie, 'x-requested-by': 'console' } })
  assert.equal(overview.status, 200, await overview.text())
  for (const settings of [runtime, console]) {
    const { code: found, output: lines } = await run('doctor', [], settings)
    assert.equal(found, 0, lines)
  }
  for (const { child, output: lines } of programs) {
    child.kill('SIGTERM')
    await once(child, 'exit')
    assert.equal(child.exitCode, 0, lines())
  }
})

test('each other command says what it needs instead of missing a file', { skip }, async () => {
  const script = readFileSync(join(target, 'bin/bundle-console'), 'utf8')
  const names = [...script.matchAll(/^ {2}([a-z:|-]+)\) program=/gm)].flatMap(([, some = '']) =>
    some.split('|'),
  )
  assert.ok(names.length > 9, script)
  for (const name of names) {
    const { output } = await run(name, ['--no-such-option'], {})
    assert.doesNotMatch(output, /Cannot find|ERR_|\n\s+at /, name)
    assert.ok(output.trim().split('\n').length <= 2, `${name}: ${output}`)
  }
})

/** Starts a program of the image with these settings only. */
function start(name: string, env: Record<string, string>, args: readonly string[] = []) {
  const child = spawn(join(target, 'bin/bundle-console'), [name, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: folder,
    env: { PATH: process.env['PATH'], LOG_LEVEL: 'error', ...env },
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (text += part))
  const exited = once(child, 'exit')
  ended.push(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await exited
  })
  return { child, output: () => text, exited }
}

async function run(name: string, args: readonly string[], env: Record<string, string>) {
  const { child, output, exited } = start(name, env, args)
  await exited
  return { code: child.exitCode, output: output() }
}
