import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { bffMigrations } from '#bff/store/tables.ts'
import { makeShellFolder } from '#bff/document/testing-shell.ts'
import { freePort } from '#database/free-port.ts'
import { toUrl } from '#database/settings.ts'
import { testDatabase } from '#database/testing.ts'
import { createLog } from '#http-kit/log.ts'
import { RUNTIME_MIGRATIONS } from '#runtime/store/migrations.ts'
import { until } from '#runtime/testing/stream.ts'
import { parseProfile } from '../../packages/plugin-check/src/profile.ts'
import { startReferencePlugin } from '../../packages/plugin-check/testing/reference-plugin.ts'
import { referenceProfile } from '../../packages/plugin-check/testing/reference-profile.ts'
import { startPluginDev } from './start.ts'
import type { PluginDev } from './start.ts'

// The real system and a real plugin; buttons are pressed as a browser does.

let dev: PluginDev
let close: () => Promise<void>

before(async () => {
  const folder = makeShellFolder()
  const dataDir = mkdtempSync(join(tmpdir(), 'plugin-dev-'))
  const database = await testDatabase({ migrations: [RUNTIME_MIGRATIONS, bffMigrations] })
  const ports = { console: await freePort(), platform: await freePort(), controls: 0 }
  const platform = `http://127.0.0.1:${ports.platform}`
  const plugin = await startReferencePlugin({ platform, file: null, defect: null })
  const { resources, ...profile } = referenceProfile(plugin.url)
  // the reference plugin has its own credential, with which this platform does not let it resolve
  const withoutReferences = Object.entries(resources).map(([locator, resource]) => [
    locator,
    { ...resource, references: {} },
  ])
  dev = await startPluginDev({
    pluginUrl: `${plugin.url}/lifecycle`,
    profile: parseProfile({ ...profile, resources: Object.fromEntries(withoutReferences) }, 'of the test'),
    dataDir,
    ports,
    folder,
    databaseUrl: toUrl(database.connection),
    log: createLog({ name: 'test', level: 'silent' }),
  })
  close = async () => {
    await dev.stop()
    await plugin.close()
    await database.close()
    rmSync(dataDir, { recursive: true })
    rmSync(folder, { recursive: true })
  }
})
after(() => close())

const page = async (): Promise<string> => (await fetch(dev.controlsUrl)).text()

const press = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(dev.controlsUrl + path, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { origin: dev.controlsUrl, ...headers },
    redirect: 'manual',
  })

async function run(type: string): Promise<void> {
  await press('/start', { type })
  await until(async () => (await page()).includes(`>${type} SUCCEEDED<`), 60_000)
}

test('operations run on the real runtime, and each links to its page in the console', async () => {
  assert.match(await page(), /The plugin has not been called yet/)
  await run('INSTALL')
  const html = await page()
  assert.match(html, new RegExp(`<a href="${dev.running.url}/operations/[0-9a-f-]{36}">INSTALL SUCCEEDED`))
  assert.match(html, /INSTALL BEFORE_RESOURCES, sequence 1/)
})

test('a lost response is repeated by the runtime, and the next call is as usual', async () => {
  await press('/fault', { fault: 'lost' })
  assert.match(await page(), /value="lost" aria-pressed="true"/)
  await run('CONFIGURE')
  const html = await page()
  assert.match(html, /CONFIGURE BEFORE_RESOURCES, sequence 2, Lose the response/)
  assert.ok((html.match(/CONFIGURE BEFORE_RESOURCES, sequence 2/g)?.length ?? 0) >= 2, 'sent again')
})

test('a call that is sent twice at once has one effect', async () => {
  await press('/fault', { fault: 'twice' })
  await run('UPGRADE')
  const [, call = ''] =
    /sequence 3, Send the call twice at once<\/summary>(.*?)<\/details>/s.exec(await page()) ?? []
  const [, first, second] = call.match(/<pre>.*?<\/pre>/gs) ?? []
  assert.ok(first !== undefined)
  assert.equal(first, second)
})

test('a call can be edited and sent again', async () => {
  const last = /<textarea[^>]*>(.*?)<\/textarea>/s.exec(await page())?.[1]?.replaceAll('&quot;', '"') ?? ''
  await press('/resend', { body: last.replace('Northwind', 'New name').replaceAll('\n', '') })
  assert.match(await page(), /New name[^]*errorCode&quot;: &quot;[A-Z_]+&quot;/)
})

test('what is not possible now is said on the page', async () => {
  await press('/start', { type: 'INSTALL' })
  assert.match(await page(), /<p role="status">[^<]+already/)
})

test('another site can neither press a button nor read the page', async () => {
  const { port } = new URL(dev.controlsUrl)
  assert.equal((await press('/start', { type: 'DETACH' }, { origin: 'https://example.org' })).status, 403)
  const foreign = await fetch(`http://localhost:${port}/`).catch(() => null)
  assert.ok(foreign === null || foreign.status === 403)
  assert.doesNotMatch(await page(), /DETACH PENDING|DETACH RUNNING|DETACH SUCCEEDED/)
})

test('the credential of the plugin is readable by its owner only', () => {
  assert.equal(statSync(dev.credentialFile).mode & 0o777, 0o600)
  assert.match(readFileSync(dev.credentialFile, 'utf8'), /^\S{20,}$/)
})
