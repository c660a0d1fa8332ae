import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { bffMigrations } from '#bff/store/tables.ts'
import { makeShellFolder } from '#bff/document/testing-shell.ts'
import { freePort } from '#database/free-port.ts'
import { toUrl } from '#database/settings.ts'
import { testDatabase } from '#database/testing.ts'
import { createLog } from '#http-kit/log.ts'
import { RUNTIME_MIGRATIONS } from '#runtime/store/migrations.ts'
import { until } from '#runtime/testing/stream.ts'
import { parseProfile } from '../../packages/plugin-check/src/profile.ts'
import type { Profile } from '../../packages/plugin-check/src/profile.ts'
import { startReferencePlugin } from '../../packages/plugin-check/testing/reference-plugin.ts'
import { referenceProfile } from '../../packages/plugin-check/testing/reference-profile.ts'
import { renderPage } from './control-page.ts'
import { startPluginDev } from './start.ts'
import type { PluginDev } from './start.ts'

// The real system and a real plugin; buttons are pressed as a browser does.

let dev: PluginDev
let close: () => Promise<void>

/** Starts plugin-dev for a profile of the reference plugin, which has its own credential and so cannot resolve. */
async function startDev({ resources, ...profile }: Profile, pluginUrl: string, platformPort: number) {
  const folder = makeShellFolder()
  const dataDir = mkdtempSync(join(tmpdir(), 'plugin-dev-'))
  const database = await testDatabase({ migrations: [RUNTIME_MIGRATIONS, bffMigrations] })
  const withoutReferences = Object.entries(resources).map(([locator, resource]) => [
    locator,
    { ...resource, references: {} },
  ])
  const started = await startPluginDev({
    pluginUrl: `${pluginUrl}/lifecycle`,
    profile: parseProfile({ ...profile, resources: Object.fromEntries(withoutReferences) }, 'of the test'),
    dataDir,
    ports: { console: await freePort(), platform: platformPort, controls: 0 },
    folder,
    databaseUrl: toUrl(database.connection),
    log: createLog({ name: 'test', level: 'silent' }),
  }).catch(async (error: unknown) => {
    await database.close()
    throw error
  })
  return {
    started,
    dataDir,
    async stop() {
      await started.stop()
      await database.close()
      rmSync(dataDir, { recursive: true })
      rmSync(folder, { recursive: true })
    },
  }
}

before(async () => {
  const platformPort = await freePort()
  const platform = `http://127.0.0.1:${platformPort}`
  const plugin = await startReferencePlugin({ platform, file: null, defect: null })
  const { started, stop } = await startDev(referenceProfile(plugin.url), plugin.url, platformPort)
  dev = started
  close = async () => {
    await stop()
    await plugin.close()
  }
})
after(() => close())

const page = async (of = dev): Promise<string> => (await fetch(of.controlsUrl)).text()

const press = (
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
  of = dev,
) =>
  fetch(of.controlsUrl + path, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { origin: of.controlsUrl, ...headers },
    redirect: 'manual',
  })

const unescaped = (text = ''): string => text.replaceAll('&quot;', '"')
const fieldText = async (): Promise<string> =>
  unescaped(/<textarea[^>]*>(.*?)<\/textarea>/s.exec(await page())?.[1])
const resentResponse = async (): Promise<string> =>
  unescaped(/<\/textarea>.*?<pre>(.*?)<\/pre>/s.exec(await page())?.[1])

async function run(type: string, of = dev): Promise<void> {
  await press('/start', { type }, {}, of)
  await until(async () => (await page(of)).includes(`>${type} SUCCEEDED<`))
}

test('operations run on the real runtime, and each links to its page in the console', async () => {
  assert.match(await page(), /The plugin has not been called yet/)
  await run('INSTALL')
  const html = await page()
  assert.match(html, new RegExp(`<a href="${dev.running.url}/operations/[0-9a-f-]{36}">INSTALL SUCCEEDED`))
  assert.match(html, /INSTALL BEFORE_RESOURCES, sequence 1: APPLIED</)
})

test('a lost response is repeated by the runtime, and the next call is as usual', async () => {
  await press('/fault', { fault: 'lost' })
  assert.match(await page(), /value="lost" aria-pressed="true"/)
  await run('CONFIGURE')
  const html = await page()
  assert.match(html, /CONFIGURE BEFORE_RESOURCES, sequence 2: APPLIED \(Lose the response\)/)
  assert.ok((html.match(/CONFIGURE BEFORE_RESOURCES, sequence 2/g)?.length ?? 0) >= 2, 'sent again')
})

test('a call that is sent twice at once has one effect', async () => {
  await press('/fault', { fault: 'twice' })
  await run('UPGRADE')
  const [, call = ''] =
    /sequence 3: APPLIED and APPLIED \(Send the call twice at once: the responses are equal\)<\/summary>(.*?)<\/details>/s.exec(
      await page(),
    ) ?? []
  const [, first, second] = call.match(/<pre>.*?<\/pre>/gs) ?? []
  assert.ok(first !== undefined)
  assert.equal(first, second)
})

test('a call that is not edited is sent again with its bytes, and gets the remembered response', async () => {
  // a form sends CRLF
  await press('/resend', { body: (await fieldText()).replaceAll('\n', '\r\n') })
  assert.match(await resentResponse(), /"errorCode": "0"/)
})

test('a call whose operation and sequence are edited is accepted, because its token is new', async () => {
  const shown = await fieldText()
  const { operation, executionSequence } = JSON.parse(shown) as {
    operation: { operationId: string }
    executionSequence: number
  }
  const edited = shown
    .replace(operation.operationId, crypto.randomUUID())
    .replace(`"executionSequence": ${executionSequence}`, `"executionSequence": ${executionSequence + 90}`)
  await press('/resend', { body: edited })
  assert.match(await resentResponse(), /"errorCode": "0"/)
  await press('/resend', { body: '{"edited": true}' })
  assert.match(await resentResponse(), /"errorCode": "REQUEST_INVALID"/)
})

test('an edited body that others would read differently is sent as it is, and the page says what is wrong', async () => {
  const repeated = '{\n  "stage": "AFTER_RESOURCES",\n  "stage": "BEFORE_RESOURCES"\n}'
  await press('/resend', { body: repeated })
  assert.match(
    unescaped(await page()),
    /without a token: The key is duplicated in one object \(line 3, column 3\)/,
  )
  assert.equal(await fieldText(), repeated)
  await press('/resend', { body: '{"edited":\n 9007199254740993}' })
  assert.match(unescaped(await page()), /without a token: A number cannot .* \(line 2, column 2\)/)
  // shown as it was typed, not as the number that it would become
  assert.match(await fieldText(), /9007199254740993/)
})

const shown = () => ({
  pluginId: 'reference-plugin',
  consoleUrl: dev.running.url,
  platform: dev.platform,
  operations: [],
  planted: null,
  calls: [],
  events: [],
  output: null,
  notice: null,
  resend: null,
})

test('the page follows a new operation until it ends, and does not disturb later', () => {
  const started = (msAgo: number, isFinished = false) => {
    const createdAt = new Date(Date.now() - msAgo).toISOString()
    const finishedAt = isFinished ? createdAt : null
    const operation = { operationId: 'operation-1', operationType: 'INSTALL', state: 'RUNNING' } as const
    return renderPage({ ...shown(), operations: [{ ...operation, createdAt, finishedAt }] })
  }
  assert.match(started(0), /http-equiv="refresh"/)
  assert.doesNotMatch(started(0, true), /http-equiv="refresh"/)
  assert.doesNotMatch(started(60_000), /http-equiv="refresh"/)
})

test('a refused token says how to configure the plugin', () => {
  const html = renderPage({
    ...shown(),
    calls: [{ at: new Date(), fault: null, request: '{}', responses: ['HTTP status 401\n{}'] }],
    resend: { body: '{}', response: 'HTTP status 401\n{}' },
  })
  const advice = `Configure it with the platform API base <code>${dev.platform}</code>`
  assert.equal(html.split(advice).length - 1, 2)
})

test('an event of the plugin is confirmed, and shown on the page', async () => {
  const { port } = new URL(dev.controlsUrl)
  const response = await fetch(`http://127.0.0.1:${port}/services/crm-events/tenantCreated`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'event-id': 'event-1' },
    body: '{"tenantId":"<b>"}',
  })
  assert.equal(response.status, 200)
  assert.match(await page(), /tenantCreated to crm-events, event-1<\/summary>\s*<pre>[^<]*&lt;b&gt;/)
})

test('what is not possible now is said on the page', async () => {
  await press('/start', { type: 'INSTALL' })
  assert.match(await page(), /<p role="status">[^<]+already/)
})

test('another site can reach neither the plugin nor its services (B02)', async () => {
  const statusOf = (path: string, headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const sent = request(`${dev.controlsUrl}${path}`, { method: 'POST', headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      sent.on('error', reject)
      sent.end('{}')
    })
  const before = await page()
  for (const path of ['/plugin', '/services/x']) {
    for (const headers of [
      { origin: 'https://evil.example', 'content-type': 'text/plain' },
      { origin: 'null', 'content-type': 'text/plain' },
      { host: 'evil.example' },
    ])
      assert.equal(await statusOf(path, headers), 403, `${path} ${JSON.stringify(headers)}`)
  }
  assert.equal(await page(), before)
})

test('another site can neither press a button nor read the page', async () => {
  const { port } = new URL(dev.controlsUrl)
  assert.equal((await press('/start', { type: 'DETACH' }, { origin: 'https://example.org' })).status, 403)
  const foreign = await fetch(`http://localhost:${port}/`).catch(() => null)
  assert.ok(foreign === null || foreign.status === 403)
  assert.doesNotMatch(await page(), /DETACH PENDING|DETACH RUNNING|DETACH SUCCEEDED/)
})

test('a plugin that somebody else started cannot be killed, and the page says what to do', async () => {
  assert.equal(dev.startsPlugin, false)
  assert.doesNotMatch(await page(), /value="killed"/)
  await press('/fault', { fault: 'killed' })
  assert.match(await page(), /<p role="status">To kill the plugin, let plugin-dev start it/)
})

test('a plugin that is killed between its effect and its response starts again, and has one effect', async () => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const own = mkdtempSync(join(tmpdir(), 'plugin-dev-plugin-'))
  const lives = join(own, 'lives')
  const profile = referenceProfile(url, { file: join(own, 'state'), defect: '' })
  const main = profile.start?.command[1] ?? ''
  const counting = join(own, 'main.mjs')
  writeFileSync(
    counting,
    `import { appendFileSync } from 'node:fs'
appendFileSync(${JSON.stringify(lives)}, process.pid + '\\n')
console.log('credential of ' + process.env.CREDENTIAL.length)
await import(${JSON.stringify(pathToFileURL(main).href)})`,
  )
  const start = {
    ...profile.start,
    command: [process.execPath, counting],
    env: { ...profile.start?.env, CREDENTIAL: '{credential}' },
  }
  const { started, dataDir, stop } = await startDev(
    parseProfile({ ...profile, start }, 'of the test'),
    url,
    await freePort(),
  )
  try {
    assert.equal(started.startsPlugin, true)
    const credential = readFileSync(join(dataDir, 'plugin.credential'), 'utf8')
    assert.match(await page(started), new RegExp(`credential of ${credential.length}`))
    await run('INSTALL', started)
    const pids = () => readFileSync(lives, 'utf8').trim().split('\n')
    assert.equal(pids().length, 1)
    await press('/fault', { fault: 'killed' }, {}, started)
    await run('CONFIGURE', started)
    assert.equal(new Set(pids()).size, 2)
    const html = await page(started)
    const calls = html.split('CONFIGURE BEFORE_RESOURCES, sequence 2')
    assert.equal(calls.length - 1, 2, 'the runtime repeated the call')
    assert.match(html, /sequence 2: \w+ \(Kill the plugin before its response arrives\)/)
    const tenants: unknown = await (await fetch(`${url}/tenants`)).json()
    assert.ok(Array.isArray(tenants))
    assert.equal(tenants.length, 1)

    process.kill(Number(pids().at(-1)), 'SIGKILL')
    await press('/restart', {}, {}, started)
    assert.match(await page(started), /The plugin was started again/)
    assert.equal(new Set(pids()).size, 3)
    rmSync(counting)
    writeFileSync(counting, `throw new Error('The mailbox server is missing')`)
    await press('/restart', {}, {}, started)
    assert.match(await page(started), /<p role="status">[^<]+Error: The mailbox server is missing</)
  } finally {
    await stop()
    rmSync(own, { recursive: true })
  }
  await assert.rejects(fetch(`${url}/tenants`), 'plugin-dev stops what it started')
})

test('the credential of the plugin is readable by its owner only', () => {
  assert.equal(statSync(dev.credentialFile).mode & 0o777, 0o600)
  assert.match(readFileSync(dev.credentialFile, 'utf8'), /^\S{20,}$/)
})

test('a port that is taken is named by its option', async () => {
  const profile = referenceProfile('http://127.0.0.1:1')
  const { port } = new URL(dev.running.runtimeUrl)
  await assert.rejects(startDev(profile, 'http://127.0.0.1:1', Number(port)), {
    message: `--platform-port is wrong: port ${port} is already in use; choose another one, or stop the program that listens there`,
  })
})
