import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { listen, toNodeListener } from '#plugin-sdk/src/index.ts'
import { startTestServer } from '#database/testing.ts'
import { testHttp, textOf } from '#runtime/testing/http.ts'
import type { TestAnswer } from '#runtime/testing/http.ts'
import { until } from '#runtime/testing/stream.ts'
import { root } from '../../scripts/process.ts'
import { startRegistry } from '../../scripts/testing-registry.ts'
import type { TestRegistry } from '../../scripts/testing-registry.ts'

// The package of plugin authors, installed in an empty folder outside of the repository.

const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const PAGE = read('docs/plugin-in-ten-minutes.md')
const GUIDE = read('docs/writing-a-plugin.md')

const folder = mkdtempSync(join(tmpdir(), 'plugin-author-'))
let registry: TestRegistry
const ended: (() => void)[] = []
before(async () => {
  registry = await startRegistry()
})
after(async () => {
  for (const end of ended) end()
  await registry.close()
  rmSync(folder, { recursive: true })
})

/** The Node of the author: the one that runs this test, or that of the suite `author-page`. */
const NODE = process.env['AUTHOR_NODE'] ?? process.execPath

/** The commands of the page, in order. */
const [
  install = '',
  installSqlite = '',
  init = '',
  start = '',
  call = '',
  installChecker = '',
  check = '',
  startOnPlatform = '',
] = [...PAGE.matchAll(/```sh\n(.*?)\n```/gs)].map(([, command]) => command)

const environment = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  ...process.env,
  PATH: `${dirname(NODE)}${delimiter}${process.env['PATH'] ?? ''}`,
  npm_config_cache: join(folder, '.npm'),
  ...more,
})
const ourRegistry = (): NodeJS.ProcessEnv => ({ npm_config_registry: registry.url })

/** Runs a command of the page as printed; returns its output. */
const run = (command: string, more?: NodeJS.ProcessEnv): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, cwd: folder, env: environment(more) })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.on('close', (code) => (code === 0 ? resolve(output) : reject(new Error(output))))
  })

/**
 * Starts the plugin with a command of the page; returns its first line of output.
 *
 * @throws with the output of the plugin if it ends, or prints nothing within 30 s
 */
function startPlugin(command: string, more: NodeJS.ProcessEnv = {}): Promise<string> {
  // exec: the shell becomes the plugin, so that it can be ended
  const child = spawn(command.replace(/node /, 'exec node '), {
    shell: true,
    cwd: folder,
    env: environment(more),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  ended.push(() => child.kill())
  return new Promise((resolve, reject) => {
    let errors = ''
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
    const fail = (why: string) => reject(new Error(`the plugin ${why}\n${errors}`))
    const deadline = setTimeout(fail, 30_000, 'printed nothing within 30 s')
    child.on('close', (code) => {
      clearTimeout(deadline)
      fail(`ended with code ${String(code)}`)
    })
    createInterface(child.stdout).once('line', (line) => {
      clearTimeout(deadline)
      resolve(line)
    })
  })
}

const lacksSqlite = async (): Promise<boolean> =>
  (await run(`node -p "process.getBuiltinModule?.('node:sqlite') === undefined"`)).trim() === 'true'

describe('"A plugin in ten minutes"', () => {
  it('installs the package and creates the plugin', async () => {
    await run(install, ourRegistry())
    // Only the registry that this machine uses has this package.
    if (await lacksSqlite()) await run(installSqlite)
    assert.match(await run(init), /Created manifest.json, plugin-check.json, plugin.mjs, request.json/)
    await assert.rejects(run(init), /Nothing was copied/)
  })

  it('says why a plugin does not start', async () => {
    writeFileSync(join(folder, 'broken.mjs'), "throw new Error('no database')")
    await assert.rejects(startPlugin('node broken.mjs'), /the plugin ended with code 1\n.*no database/s)
  })

  it('starts the plugin, which answers the printed call with the printed response', async () => {
    const line = await startPlugin(start)
    assert.ok(PAGE.includes(line), line)
    const printed = /```json\n(.*?)\n```/s.exec(PAGE)?.[1] ?? ''
    assert.deepEqual(JSON.parse(await run(call)), JSON.parse(printed))
    assert.deepEqual(JSON.parse(await run(call)), JSON.parse(printed))
    ended.pop()?.()
  })

  it('tests the plugin, which passes', async () => {
    await run(installChecker, ourRegistry())
    // another port, because this machine may run another checker
    const output = await run(`${check} --platform-port 0`)
    assert.match(output, /^mailbox-maker: PASSED/m)
    assert.match(output, /^\d+ passed, 0 failed, 0 blocked, \d+ not tested /m)
  })

  it('has the plugin called by the runtime', async (t) => {
    const server = await listen(toNodeListener(async (request) => http.runtime.app.fetch(request)))
    const http = await testHttp({ worker: {}, platformApiBase: server.url })
    t.after(async () => {
      await http.runtime.drain()
      await server.close({ graceMs: 0 })
      await http.close()
    })
    const command = startOnPlatform.replace('http://127.0.0.1:8081', server.url)
    assert.notEqual(command, startOnPlatform)
    const line = await startPlugin(command, { PORT: '0', DATA_FILE: './data/other.sqlite' })
    const endpoint = line.split(' ').at(-1) ?? ''

    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as JsonValue
    const published = await http.call('/bundles/development/team-mail/versions/1.0.0', {
      method: 'PUT',
      body: manifest,
    })
    assert.equal(published.errorCode, '0', JSON.stringify(published.json))
    const body = { title: 'Mailbox maker', endpoint, enabled: true }
    assert.equal((await http.call('/plugins/mailbox-maker', { method: 'PUT', body })).errorCode, '0')
    const scope = { environmentKey: 'development', applicationRuntimeId: 'lab', workspaceId: 1 }
    const bundle = { environmentKey: 'development', bundleId: 'team-mail' }
    const made = await http.call('/installations', {
      method: 'POST',
      body: { scope, bundle, targetVersion: '1.0.0', properties: {} },
    })
    const succeed = async ({ data }: TestAnswer): Promise<void> => {
      const { operationId } = data['operation'] as { operationId: string }
      await until(async () => {
        const operation = await http.call(`/operations/${operationId}`)
        assert.notEqual(textOf(operation.data['state']), 'FAILED', JSON.stringify(operation.data))
        return operation.data['state'] === 'SUCCEEDED'
      })
    }
    await succeed(made)
    const saved = await http.call('/scopes/development/lab/1/configuration')
    assert.match(JSON.stringify(saved.data), /northwind\.sales@example\.com/)

    const { installation } = made.data as { installation: { installation: { bundleInstallId: string } } }
    const { bundleInstallId } = installation.installation
    const detach = { method: 'POST', body: { reason: 'No longer used' } }
    await succeed(await http.call(`/installations/${bundleInstallId}/detach`, detach))
  })
})

const modules = join(root, 'node_modules')
const tsc = join(modules, 'typescript/bin/tsc')

describe('the template in TypeScript', () => {
  before(() => {
    for (const name of ['@types', 'pg']) symlinkSync(join(modules, name), join(folder, 'node_modules', name))
  })
  for (const [kind, option] of [
    ['sqlite', '--typescript'],
    ['postgres', '--postgres'],
  ] as const)
    it(`compiles with ${kind}, and its test and the checker pass`, async (t) => {
      const database = kind === 'postgres' ? await startTestServer() : null
      t.after(() => database?.stop())
      const place = join(folder, kind)
      const settings = { DATABASE_URL: database?.url }
      await run(`npx plugin-sdk init ${kind} ${option}`)
      await run(`cd ${kind} && npx plugin-sdk check && ${NODE} ${tsc}`)
      // a name that the manifest does not have
      const wrong = readFileSync(join(place, 'plugin.ts'), 'utf8').replace('.displayName', '.displayNam')
      writeFileSync(join(place, 'wrong.ts'), wrong)
      await assert.rejects(run(`cd ${kind} && ${NODE} ${tsc}`), /Did you mean 'displayName'/)
      rmSync(join(place, 'wrong.ts'))
      const strips = await run(`${NODE} -p "process.features.typescript"`)
      if (!strips.includes('strip')) return
      await run(`cd ${kind} && ${NODE} --test`, settings)
      assert.ok(!existsSync(join(place, 'data')), 'the test uses other data than the plugin')
      const output = await run(`cd ${kind} && ${check} --platform-port 0`, settings)
      assert.match(output, /^mailbox-maker: PASSED/m)
    })
})

/** The formatter breaks lines of documents and of programs at different widths. */
const withoutLayout = (code: string): string => code.replaceAll(/\s+/g, '').replaceAll(/,(?=[)\]}])/g, '')

describe('the package', () => {
  it('contains JavaScript, types, the command, the templates and a schema, and nothing else', () => {
    const other = registry
      .filesOf('@bundle-console/plugin-sdk')
      .filter((file) => !/^dist\/(?:contract|packages\/plugin-sdk\/src)\/.*\.(?:js|d\.ts)$/.test(file))
    assert.deepEqual(other.sort(), [
      'LICENSE',
      'README.md',
      'bin/plugin-sdk.mjs',
      'package.json',
      'schemas/author-manifest.json',
      'template/bundle/manifest.json',
      'template/bundle/request.json',
      'template/javascript/plugin-check.json',
      'template/javascript/plugin.mjs',
      'template/postgres/github/workflows/plugin.yml',
      'template/postgres/plugin-check.json',
      'template/postgres/store.ts',
      'template/sqlite/github/workflows/plugin.yml',
      'template/sqlite/plugin-check.json',
      'template/sqlite/store.ts',
      'template/typescript/main.ts',
      'template/typescript/plugin.test.ts',
      'template/typescript/plugin.ts',
      'template/typescript/tsconfig.json',
    ])
  })

  it('has types with which the examples of the guide and the template compile', () => {
    const template = readFileSync(join(folder, 'plugin.mjs'), 'utf8')
    assert.ok(withoutLayout(GUIDE).includes(withoutLayout(template)), 'the guide shows the template')
    const typed = template.replace(
      'const writes = {}',
      'const writes: Record<string, { mailbox: string }> = {}',
    )
    const wrong =
      "// @ts-expect-error a pluginId is a string\nexport const wrong: Parameters<typeof definePlugin>[0]['pluginId'] = 7\n"
    writeFileSync(
      join(folder, 'plugin.mts'),
      typed.replaceAll('values.displayName', "values['displayName']") + wrong,
    )
    writeFileSync(join(folder, 'guide.mts'), guideExamples())
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node']
    execFileSync(process.execPath, [tsc, ...options, 'plugin.mts', 'guide.mts'], {
      cwd: folder,
      stdio: 'inherit',
    })
  })
})

/** The complete TypeScript examples of the guide: those that begin with an import, each in a separate block. */
function guideExamples(): string {
  const examples = [...GUIDE.matchAll(/```ts\n(.*?)\n```/gs)].map(([, example = '']) => example)
  const names = [
    ...new Set(
      examples.flatMap(
        (example) =>
          example.match(/\b(?:eventOutbox|eventReceiver|listen|outboxView|toNodeListener)\b/g) ?? [],
      ),
    ),
  ]
  const events = examples.filter((example) => /eventOutbox|eventReceiver|outboxView/.test(example))
  assert.equal(events.length, 3)
  return `
import { ${names.join(', ')}, memoryStore, type LifecycleCall } from '@bundle-console/plugin-sdk'
declare const installation: LifecycleCall<unknown>['installation']
declare const locator: string
const platformApiBase = 'https://platform.example'
const credential = 'secret'
const store = memoryStore()
${events.join('\n')}
`
}
