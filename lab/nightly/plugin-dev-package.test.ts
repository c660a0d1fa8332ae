import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '#database/free-port.ts'
import { listen } from '#plugin-sdk/src/node-listener.ts'
import { until } from '#runtime/testing/stream.ts'
import { parseProfile } from '../../packages/plugin-check/src/profile.ts'
import { isListening } from '../../packages/plugin-check/src/run/host.ts'
import { STARTER_PROFILE } from '../../packages/plugin-check/src/starter-profile.ts'
import { referenceProfile } from '../../packages/plugin-check/testing/reference-profile.ts'
import { installPackages } from '../../packages/plugin-check/testing/install-package.ts'

// `plugin-check dev` as an author has it: two packages in an empty folder outside of the repository.

const { folder, files, remove } = installPackages('plugin-dev', 'plugin-check')
after(remove)
const installed = join(folder, 'node_modules/@bundle-console/plugin-dev')

/** What the program prints until it is ready, as text. */
async function startDev(pluginUrl: string, more: readonly string[] = []) {
  const ports = ['--port', '--platform-port', '--controls-port']
  const options = await Promise.all(ports.map(async (name) => [name, String(await freePort())]))
  const program = spawn(
    join(folder, 'node_modules/.bin/plugin-check'),
    ['dev', '--url', pluginUrl, ...options.flat(), ...more],
    { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const lines: string[] = []
  for await (const line of createInterface(program.stdout)) {
    lines.push(line)
    if (line.startsWith('Ready after')) break
  }
  return { program, printed: lines.join('\n') }
}

test('everything that the program imports is in it, is built in, or is a dependency', () => {
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    dependencies: object
  }
  for (const file of files.filter((path) => /^dist\/[^/]+\.js$/.test(path))) {
    const imports = readFileSync(join(installed, file), 'utf8').matchAll(
      /^import [^;]*?["'](?!\.)([^"']+)["'];$/gm,
    )
    for (const [, name = ''] of imports)
      assert.ok(isBuiltin(name) || name in dependencies, `${file} imports ${name}`)
  }
})

test('the package has the licenses of what it contains', () => {
  assert.match(
    readFileSync(join(installed, 'dist/licenses.md'), 'utf8'),
    /^## hono - [^]*^## oidc-provider - /m,
  )
})

test('an older Node gets one line that says what to do', () => {
  const entry = readFileSync(join(installed, 'bin/plugin-dev.mjs'), 'utf8')
  const asOlder = entry.replace('process.versions.node.split', "'20.20.2'.split")
  const run = () =>
    execFileSync(process.execPath, ['--input-type=module', '-e', asOlder], {
      stdio: 'pipe',
      encoding: 'utf8',
    })
  assert.throws(run, { status: 2, stderr: /^plugin-dev needs Node 22\.13 or later, [^\n]+\n$/ })
})

test('--help prints the usage, and a wrong option ends with 2', () => {
  const dev = (...args: string[]) =>
    spawnSync(join(folder, 'node_modules/.bin/plugin-check'), ['dev', ...args], {
      cwd: folder,
      encoding: 'utf8',
    })
  const help = dev('--help')
  assert.match(help.stdout, /^Usage: plugin-check dev --url URL [^\n]+\n$/)
  assert.deepEqual([help.status, help.stderr], [0, ''])
  for (const [args, line] of [
    [['--wrong'], /^Unknown option '--wrong'[^\n]+Usage: plugin-check dev [^\n]+\n$/],
    [[], /^--url must be the lifecycle endpoint of the plugin[^\n]+\n$/],
    [['--url', 'http://127.0.0.1:1', '--profile', 'none.json'], /^[^\n]*none\.json[^\n]*\n$/],
  ] as const) {
    const { status, stderr } = dev(...args)
    assert.match(stderr, line)
    assert.equal(status, 2)
  }
})

test('in an empty folder it creates a profile, runs the system, and ends with Ctrl+C', async (t) => {
  const tokens: string[] = []
  const plugin = await listen((incoming, outgoing) => {
    tokens.push(incoming.headers.authorization ?? '')
    outgoing.writeHead(500).end()
  })
  t.after(() => plugin.close({ graceMs: 0 }))
  const { program, printed } = await startDev(plugin.url)
  try {
    const created: unknown = JSON.parse(readFileSync(join(folder, 'plugin-check.json'), 'utf8'))
    assert.deepEqual(created, STARTER_PROFILE)
    assert.match(printed, /plugin-check\.json was created/)
    const [, consoleUrl = '', controlsUrl = ''] =
      /The console is at (\S+)[^]*plant faults at (\S+)/.exec(printed) ?? []
    const script = /src="([^"]+\.js)"/.exec(await pageOf(consoleUrl))?.[1] ?? ''
    assert.equal((await fetch(new URL(script, consoleUrl))).status, 200, 'the console is built')
    await fetch(`${controlsUrl}/start`, {
      method: 'POST',
      headers: { origin: controlsUrl },
      body: new URLSearchParams({ type: 'INSTALL' }),
    })
    await until(async () => (await pageOf(controlsUrl)).includes('INSTALL BEFORE_RESOURCES, sequence 1'))
    assert.match(tokens[0] ?? '', /^Bearer \S+\.\S+\.\S+$/)
  } finally {
    program.kill('SIGINT')
    program.stdout.resume()
    const [code] = await once(program, 'exit')
    assert.equal(code, 0)
  }
})

for (const [name, signals] of [
  ['Ctrl+C', ['SIGINT']],
  ['a second Ctrl+C', ['SIGINT', 'SIGINT']],
] as const)
  test(`${name} ends the plugin that it has started`, async (t) => {
    const port = await freePort()
    const pluginUrl = `http://127.0.0.1:${port}/lifecycle`
    const own = mkdtempSync(join(folder, 'started-'))
    const start = referenceProfile(`http://127.0.0.1:${port}`, { file: join(own, 'state'), defect: '' }).start
    const profile = join(own, 'profile.json')
    writeFileSync(profile, JSON.stringify({ ...STARTER_PROFILE, start }))
    const { program } = await startDev(pluginUrl, ['--profile', profile, '--data', join(own, 'data')])
    t.after(() => program.kill('SIGKILL'))
    assert.equal(await isListening(pluginUrl), true)
    const exit = once(program, 'exit')
    program.stdout.resume()
    for (const signal of signals) {
      program.kill(signal)
      await wait(50)
    }
    const [code] = (await exit) as [number]
    assert.equal(code, signals.length === 1 ? 0 : 130)
    await until(async () => !(await isListening(pluginUrl)))
  })

test('the profile of the SDK is the one to start from, and says how to start its plugin', () => {
  const file = join(import.meta.dirname, '../../packages/plugin-sdk/template/javascript/plugin-check.json')
  const profile = parseProfile(JSON.parse(readFileSync(file, 'utf8')), file)
  assert.deepEqual(profile, { ...parseProfile(STARTER_PROFILE, ''), start: profile.start })
  assert.deepEqual(profile.start?.command, ['node', 'plugin.mjs'])
})

/** A page as a browser asks for it; `fetch` would say that it is not a navigation. */
async function pageOf(url: string): Promise<string> {
  const [response] = (await once(get(url, { headers: { accept: 'text/html' } }), 'response')) as [
    IncomingMessage,
  ]
  return text(response)
}
