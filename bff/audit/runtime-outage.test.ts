import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createLocalJWKSet } from 'jose'
import { freePort } from '#database/free-port.ts'
import { testDatabase } from '#database/testing.ts'
import { createLog } from '#http-kit/log.ts'
import { serve } from '#http-kit/serve.ts'
import type { RunningServer } from '#http-kit/serve.ts'
import { verifyChain } from '#runtime/use-cases/audit/verify-chain.ts'
import { until } from '#runtime/testing/stream.ts'
import { testHttp } from '#runtime/testing/http.ts'
import type { TestHttp } from '#runtime/testing/http.ts'
import { RUNTIME_MIGRATIONS } from '#runtime/store/migrations.ts'
import { loadActorKey } from '../runtime/actor-assertion.ts'
import { createConsole } from '../app.ts'
import { openConsoleDatabase } from '../database.ts'
import { bffMigrations } from '../store/tables.ts'
import { EVERYWHERE } from '../testing.ts'
import { TestBrowser } from '../testing-browser.ts'

// A complete console whose runtime is down at first. What the console does in the meantime is recorded later.

const CREDENTIAL = 'the-credential-of-the-test'
const PASSWORD = 'correct horse'

let origin: string
let runtimePort: number
let http: TestHttp
let runtimeServer: RunningServer | null = null
const logged: Record<string, unknown>[] = []
const stops: (() => Promise<void> | void)[] = []

before(async () => {
  const server = await testDatabase({ migrations: [RUNTIME_MIGRATIONS, bffMigrations] })
  const dataDir = mkdtempSync(join(tmpdir(), 'console-audit-'))
  const assertionKey = await loadActorKey(dataDir)
  const { connection } = server
  http = await testHttp({
    connection,
    credentials: [CREDENTIAL],
    actorKeys: createLocalJWKSet({ keys: [assertionKey.publicJwk] }),
  })
  const port = await freePort()
  runtimePort = await freePort()
  origin = `http://localhost:${port}`
  const user = (username: string, role: 'admin' | 'viewer') => ({
    username,
    password: PASSWORD,
    roles: [EVERYWHERE(role)],
  })
  const log = createLog({
    name: 'test',
    level: 'info',
    stream: { write: (line) => void logged.push(JSON.parse(line) as Record<string, unknown>) },
  })
  const database = await openConsoleDatabase({ connection, log })
  const bff = await createConsole({
    database,
    dataDir,
    settings: {
      publicOrigin: origin,
      externalIdp: null,
      rolesClaim: 'roles',
      users: [user('ada', 'admin'), user('vic', 'viewer'), { ...user('nora', 'viewer'), roles: [] }],
      limits: { idleSeconds: 900, absoluteSeconds: 900 },
      recentSignInSeconds: 300,
      trustedProxyHops: 0,
    },
    runtime: { baseUrl: `http://127.0.0.1:${runtimePort}/bundle-runtime/api`, credential: CREDENTIAL },
    assertionKey,
    folder: import.meta.dirname,
    loopback: () => `http://127.0.0.1:${port}`,
    audit: { mergeSeconds: 2, pollMs: 20 },
    log,
  })
  const listening = await serve({ app: bff.app, port, ...(bff.front !== null && { front: bff.front }) })
  stops.push(
    () => listening.stop({ graceMs: 100 }),
    () => bff.stop(),
    () => database.close(),
    async () => runtimeServer?.stop({ graceMs: 100 }),
    () => http.close(),
    () => server.close(),
    () => rmSync(dataDir, { recursive: true, force: true }),
  )
})
after(async () => {
  for (const stop of stops) await stop()
})

const write = (browser: TestBrowser, method: string, path: string, body: unknown) =>
  browser.api(path, {
    method,
    body: JSON.stringify(body),
    headers: { origin, 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
  })

async function entries() {
  const rows = await http.runtime.deps.db
    .selectFrom('runtime.audit_entry')
    .selectAll()
    .orderBy('first_occurred_at')
    .execute()
  return rows.map((row) => ({
    by: row.actor_id === 'bundle-console' ? row.actor_id : row.actor_name,
    what: `${row.action} ${row.outcome} ${row.subject}`,
    code: row.error_code,
    count: row.occurrence_count,
    row,
  }))
}

test('actions of the console while the runtime is down are recorded once it is back', async () => {
  const wrong = new TestBrowser(origin)
  const form = await wrong.openForm()
  for (let turn = 0; turn < 3; turn++) assert.equal((await wrong.submit(form, 'ada', 'guess')).status, 401)
  assert.equal((await wrong.submit(form, 'a password in the wrong field', 'x')).status, 401)

  const nora = new TestBrowser(origin)
  assert.equal((await nora.signIn('nora', PASSWORD)).response.status, 403)

  const vic = new TestBrowser(origin)
  await vic.signIn('vic', PASSWORD)
  assert.ok(vic.session !== null, 'a sign-in does not need the runtime')
  const installation = '0199f000-0000-7000-8000-000000000001'
  const scope = { environmentKey: 'prod', applicationRuntimeId: 'shop', workspaceId: 7 }
  for (let turn = 0; turn < 4; turn++)
    assert.equal((await write(vic, 'PUT', '/api/plugins/mailer', {})).status, 403)
  assert.equal((await write(vic, 'PATCH', '/api/scopes/prod/shop/7/configuration', {})).status, 403)
  assert.equal((await write(vic, 'POST', '/api/installations', { scope })).status, 403)
  assert.equal((await write(vic, 'POST', `/api/operations/${installation}/takeover`, {})).status, 403)
  assert.equal((await write(vic, 'PUT', `/api/services/${'x'.repeat(5_000)}`, {})).status, 403)
  assert.equal((await vic.api('/api/audit')).status, 403)

  const ada = new TestBrowser(origin)
  await ada.signIn('ada', PASSWORD)
  const named = { changes: { 'a/b/MODULE/c': { instanceRefProperty: 1 } } }
  assert.equal((await write(ada, 'PATCH', '/api/scopes/prod/shop/7/configuration', named)).status, 422)
  assert.equal((await ada.api('/auth/logout', { method: 'POST', headers: { origin } })).status, 200)
  assert.equal((await ada.api('/auth/logout', { method: 'POST', headers: { origin } })).status, 200)

  await until(async () => logged.some(({ msg }) => String(msg).startsWith('audit events are waiting')))
  assert.deepEqual(await entries(), [])
  runtimeServer = await serve({ app: http.runtime.app, port: runtimePort, hostname: '127.0.0.1' })
  const expected = new Map([
    ['ada: configuration.save REFUSED prod/shop/7 PROPERTY_PROTECTED', 1],
    ['ada: session.sign-in DONE console', 1],
    ['ada: session.sign-out DONE console', 1],
    ['bundle-console: session.sign-in REFUSED ada SIGN_IN_FAILED', 3],
    ['bundle-console: session.sign-in REFUSED console SIGN_IN_FAILED', 1],
    ['nora: session.sign-in REFUSED console PERMISSION_DENIED', 1],
    ['vic: configuration.save REFUSED prod/shop/7 PERMISSION_DENIED', 1],
    ['vic: data.read REFUSED /audit PERMISSION_DENIED', 1],
    ['vic: installation.install REFUSED /installations PERMISSION_DENIED', 1],
    [`vic: operation.takeover REFUSED ${installation} PERMISSION_DENIED`, 1],
    ['vic: plugin.save REFUSED mailer PERMISSION_DENIED', 4],
    [`vic: service.save REFUSED ${'x'.repeat(200)} PERMISSION_DENIED`, 1],
    ['vic: session.sign-in DONE console', 1],
  ])
  // a slow machine may take longer than the merge window, but no event is lost or counted twice
  const occurrences = async () => (await entries()).reduce((sum, { count }) => sum + (count ?? 0), 0)
  const total = [...expected.values()].reduce((sum, count) => sum + count, 0)
  await until(async () => (await occurrences()) >= total)

  const all = await entries()
  const counts = new Map<string, number>()
  for (const { by, what, code, count } of all) {
    const name = `${by}: ${what} ${code ?? ''}`.trim()
    counts.set(name, (counts.get(name) ?? 0) + (count ?? 0))
  }
  assert.deepEqual(counts, expected)
  for (const { row, by } of all) {
    assert.match(row.client_address ?? '', /^(?:127\.0\.0\.1|::1)$/)
    assert.equal(row.actor_issuer, by === 'bundle-console' ? null : `${origin}/idp`)
    assert.doesNotMatch(JSON.stringify(row), /wrong field|correct horse/)
  }
  const scopes = all
    .filter(({ what }) => /^(configuration|installation)/.test(what))
    .map(({ row }) => row.workspace_id)
  assert.deepEqual([...new Set(scopes)], [7])
  assert.equal((await verifyChain(http.runtime.deps.db)).holds, true)

  const refusals = logged.filter(({ msg, actorId }) => msg === 'refused' && actorId !== undefined)
  assert.deepEqual(
    new Set(refusals.map(({ action }) => action)),
    new Set([
      'configuration.save',
      'data.read',
      'installation.install',
      'operation.takeover',
      'plugin.save',
      'service.save',
      'session.sign-in',
    ]),
  )
})

test('each refused request is logged, without its path and body', () => {
  const lines = logged.filter(
    ({ msg, endpoint }) => msg === 'request' && endpoint === 'PUT /plugins/{pluginId}',
  )
  assert.equal(lines.length, 4)
  for (const { status, errorCode, actorId, requestId } of lines) {
    assert.deepEqual([status, errorCode], [403, 'PERMISSION_DENIED'])
    assert.match(`${String(actorId)} ${String(requestId)}`, /^[0-9a-f-]{36} [0-9a-f-]{36}$/)
  }
  assert.doesNotMatch(JSON.stringify(logged), /mailer/)
})

test('entries that the runtime records also have the issuer and the address', async () => {
  const ada = new TestBrowser(origin)
  await ada.signIn('ada', PASSWORD)
  const plugin = { title: 'Mailer', endpoint: 'http://127.0.0.1:7000/', enabled: true }
  assert.equal((await write(ada, 'PUT', '/api/plugins/mailer', plugin)).status, 200)
  const entry = (await entries()).find(({ what }) => what === 'plugin.save DONE mailer')
  assert.equal(entry?.row.actor_issuer, `${origin}/idp`)
  assert.match(entry?.row.client_address ?? '', /^(?:127\.0\.0\.1|::1)$/)
})
