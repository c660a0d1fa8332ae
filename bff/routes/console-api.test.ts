import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { isWrite, splitName } from '#contract/endpoint/endpoint.ts'
import type { EndpointName, EndpointRow } from '#contract/endpoint/endpoint.ts'
import { consoleApi } from '#contract/console-api/rows.ts'
import { Problem } from '#contract/console-api/console-problem.ts'
import { sql } from 'kysely'
import { openDatabase } from '#database/pool.ts'
import { getTarget, NON_CANONICAL_TARGETS } from '#http-kit/testing-targets.ts'
import { demoBundles } from '#plugin/examples/bundles/demo-bundles.ts'
import { sessionCookie } from '../testing-browser.ts'
import { buildDemo } from '../../demo/build-demo.ts'
import { startForTests } from '../../start-for-tests.ts'
import type { TestSystem } from '../../start-for-tests.ts'
import type { BffTables } from '../store/tables.ts'

// The console API as a browser uses it, on a real runtime with real plugins and the demo data.

const PASSWORD = 'a password of the test'
const UNLIMITED = { perSecond: 1_000_000, burst: 1_000_000 }
const PRODUCTION = { environmentKey: 'production' }
const scope = { environmentKey: 'production', applicationRuntimeId: 'eu-central', workspaceId: 1 }
const configuration = '/api/scopes/production/eu-central/1/configuration'
const crmCore = 'production/crm-suite/MODULE/crm-core'

let running: TestSystem
let stopAll: () => Promise<void>
/** Makes all sign-ins this old; null: the identity provider did not say when they were. */
let ageSignIns: (seconds: number | null) => Promise<void>
const cookies: Record<string, string> = {}

before(async () => {
  const user = (
    username: string,
    role: 'admin' | 'operator' | 'viewer',
    place: typeof PRODUCTION | null = null,
  ) => ({
    username,
    password: PASSWORD,
    roles: [{ role, scope: place }],
  })
  running = await startForTests({
    auth: {
      users: [user('admin', 'admin'), user('viewer', 'viewer'), user('local', 'operator', PRODUCTION)],
    },
    plugins: true,
    folder: import.meta.dirname,
    rates: { reads: UNLIMITED, writes: UNLIMITED },
  })
  const { call, plugins } = running
  assert.ok(call !== null && plugins !== null)
  await buildDemo({ call, plugins })
  for (const username of ['admin', 'viewer', 'local']) {
    cookies[username] = await sessionCookie(running.url, { username, password: PASSWORD })
  }
  const bff = openDatabase<BffTables>(running.connection)
  ageSignIns = async (seconds) => {
    await sql`update bff.session set authenticated_at = clock_timestamp() - make_interval(secs => ${seconds}::float8)`.execute(
      bff.db,
    )
  }
  stopAll = async () => {
    await bff.close()
    await running.stop()
  }
})
after(() => stopAll())

interface SendOptions {
  user?: string
  body?: unknown
  headers?: Record<string, string>
}

async function send(method: string, path: string, { user = 'admin', body, headers = {} }: SendOptions = {}) {
  const response = await fetch(running.url + path, {
    method,
    redirect: 'manual',
    headers: {
      'x-requested-by': 'console',
      ...(method !== 'GET' && {
        'sec-fetch-site': 'same-origin',
        origin: running.url,
        'idempotency-key': crypto.randomUUID(),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      }),
      ...(cookies[user] !== undefined && { cookie: cookies[user] }),
      ...headers,
    },
    body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, response, text, json: text === '' ? null : JSON.parse(text) }
}
function assertProblem(answer: Awaited<ReturnType<typeof send>>, status: number, code: string): Problem {
  assert.equal(answer.status, status, answer.text)
  assert.match(answer.response.headers.get('content-type') ?? '', /^application\/problem\+json/)
  const problem = Problem.parse(answer.json)
  assert.equal(problem.code, code)
  assert.equal(problem.status, status)
  for (const text of [problem.title, problem.message, problem.remedy, problem.requestId])
    assert.notEqual(text, '')
  return problem
}

const rows = Object.entries(consoleApi) as [EndpointName, EndpointRow][]
const example: Record<string, string> = {
  environmentKey: 'production',
  applicationRuntimeId: 'eu-central',
  workspaceId: '1',
  bundleInstallId: '01900000-0000-7000-8000-000000000000',
  operationId: '01900000-0000-7000-8000-000000000000',
  viewId: '01900000-0000-7000-8000-000000000000',
  credentialId: '01900000-0000-7000-8000-000000000000',
  snapshotVersion: '1',
}
const addressOf = (name: EndpointName) =>
  `/api${splitName(name).path.replace(/\{(\w+)\}/g, (_, key: string) => example[key] ?? 'example')}`

describe('every endpoint', () => {
  for (const [name, row] of rows) {
    const { method } = splitName(name)
    test(`${name} requires a session`, async () => {
      const problem = assertProblem(
        await send(method, addressOf(name), { user: 'nobody' }),
        401,
        'AUTHENTICATION_REQUIRED',
      )
      // another language shows the message of the code
      assert.deepEqual(problem.parameters, { reason: 'AUTHENTICATION_REQUIRED' })
    })
    test(`${name} accepts only requests of the console (B01, B03)`, async () => {
      assertProblem(
        await send(method, addressOf(name), { headers: { 'x-requested-by': '' } }),
        403,
        'PERMISSION_DENIED',
      )
      const foreign = { 'sec-fetch-site': 'cross-site' }
      assertProblem(await send(method, addressOf(name), { headers: foreign }), 403, 'PERMISSION_DENIED')
    })
    if (isWrite(name, row)) {
      // what a batch or a change request needs depends on its action and its targets, which the runtime knows; everyone may
      // save views
      const isJudgedThere =
        name.startsWith('POST /batches') || name === 'POST /change-requests/{changeRequestId}/apply'
      if (!isJudgedThere && row.access.needs !== 'session')
        test(`${name} is refused for viewers (G01)`, async () => {
          const body = name === 'POST /installations' ? { scope } : {}
          assertProblem(
            await send(method, addressOf(name), { user: 'viewer', body }),
            403,
            'PERMISSION_DENIED',
          )
        })
      test(`${name} requires an idempotency key`, async () => {
        const body = name === 'POST /installations' ? { scope } : {}
        const answer = await send(method, addressOf(name), { body, headers: { 'idempotency-key': '' } })
        const problem = assertProblem(answer, 400, 'REQUEST_INVALID')
        assert.ok(problem.details?.some(({ path }) => path === 'header.Idempotency-Key'))
      })
    }
    if (row.query !== undefined) {
      test(`${name} rejects an unknown query parameter`, async () => {
        const problem = assertProblem(
          await send(method, `${addressOf(name)}?color=red`),
          400,
          'REQUEST_INVALID',
        )
        assert.ok(problem.details?.some(({ path }) => path?.startsWith('query')))
      })
    }
  }
})

describe('answers', () => {
  test('are the data itself, without an envelope', async () => {
    const { status, json } = await send('GET', '/api/installations?limit=200')
    assert.equal(status, 200)
    assert.ok(Array.isArray(json.items) && json.items.length >= 30)
    assert.equal('errorCode' in json || 'contractVersion' in json, false)
  })

  test('show the change requests of the demo, and a freeze that is still to come', async () => {
    const { json } = await send('GET', '/api/change-requests')
    const requests = json.items as { changeRequestId: string; state: string; createdBy: { name: string } }[]
    assert.deepEqual(
      requests.map(({ state, createdBy }) => [createdBy.name, state]),
      [
        ['Tomás Herrera', 'OPEN'],
        ['Mira Castellan', 'OPEN'],
        ['Jonas Berg', 'SCHEDULED'],
      ],
    )
    const [waiting, outdated] = await Promise.all(
      requests.map(async (one) => (await send('GET', `/api/change-requests/${one.changeRequestId}`)).json),
    )
    assert.match(waiting.history.at(-1).text, /late fee/)
    assert.equal(outdated.approvedBy[0].outdated, true)
    assert.equal(outdated.approvedBy[0].difference.values[0].property, 'issuer')
    const { json: freezes } = await send('GET', '/api/freezes')
    assert.deepEqual([freezes.items.length, freezes.items[0].active], [1, null])
    assert.ok(Date.parse(freezes.items[0].next.from) > Date.now())
  })

  test('hide instanceRefProperty in installations, configuration, history and operations', async () => {
    const { json: list } = await send('GET', '/api/installations?bundleId=crm-suite&state=ACTIVE')
    const id = list.items[0].installation.bundleInstallId as string
    const { json: operations } = await send('GET', `/api/operations?bundleInstallId=${id}`)
    const texts = [
      (await send('GET', `/api/installations/${id}`)).text,
      (await send('GET', configuration)).text,
      (await send('GET', `${configuration}/history`)).text,
      (await send('GET', `${configuration}/snapshots/2`)).text,
      ...(await Promise.all(
        operations.items.map(
          async ({ operationId }: { operationId: string }) =>
            (await send('GET', `/api/operations/${operationId}`)).text,
        ),
      )),
    ]
    assert.ok(texts.length > 4)
    for (const text of texts) assert.equal(text.includes('instanceRefProperty'), false, text.slice(0, 300))
  })

  test('contain complete manifests', async () => {
    const { json } = await send('GET', '/api/bundles/production/crm-suite/versions/1.0.0')
    const manifest = demoBundles.find(
      ({ bundle, version }) => bundle.bundleId === 'crm-suite' && version === '1.0.0',
    )
    assert.deepEqual(json, manifest)
    assert.ok(JSON.stringify(json).includes('instanceRefProperty'))
  })

  test('never contain a sensitive value', async () => {
    const { json: operations } = await send('GET', '/api/operations?limit=200')
    const addresses = [
      configuration,
      `${configuration}/history?limit=200`,
      '/api/audit?limit=200',
      ...operations.items.map(({ operationId }: { operationId: string }) => `/api/operations/${operationId}`),
    ]
    for (const address of addresses) {
      const { text, status } = await send('GET', address)
      assert.equal(status, 200, address)
      for (const secret of [
        'correct horse battery',
        'a webhook secret of some length',
        'staple gun and glue',
      ]) {
        assert.equal(text.includes(secret), false, `${address} contains a sensitive value`)
      }
    }
  })

  test('contain only what the grants of the person cover (G02)', async () => {
    const { json: mine } = await send('GET', '/api/installations?limit=200', { user: 'local' })
    assert.ok(mine.items.length > 0)
    for (const { installation } of mine.items) assert.equal(installation.environmentKey, 'production')
    const { json: all } = await send('GET', '/api/installations?limit=200&environmentKey=staging')
    const foreign = all.items[0].installation.bundleInstallId as string
    assertProblem(await send('GET', `/api/installations/${foreign}`, { user: 'local' }), 404, 'NOT_FOUND')
    const { json: summary } = await send('GET', '/api/summary', { user: 'local' })
    const { json: whole } = await send('GET', '/api/summary')
    assert.ok(summary.installations.ACTIVE < whole.installations.ACTIVE)
    const staging = '/api/scopes/staging/eu-central/10/configuration'
    assert.ok([403, 404].includes((await send('GET', staging, { user: 'local' })).status))
  })
})

describe('refusals', () => {
  test('of the protected property are refused without calling the runtime', async () => {
    const value = { '@type': 'Data', value: 'mine' }
    const named = { [crmCore]: { instanceRefProperty: value } }
    const bodies: [string, string, unknown][] = [
      ['PATCH', configuration, { snapshotVersion: 1, changes: named }],
      [
        'PUT',
        configuration,
        { snapshotVersion: 1, resources: { [crmCore]: { properties: named[crmCore] } } },
      ],
      [
        'POST',
        '/api/installations',
        { scope, bundle: { environmentKey: 'x', bundleId: 'y' }, targetVersion: '1', properties: named },
      ],
      [
        'POST',
        `/api/installations/${example['bundleInstallId']}/upgrade`,
        { targetVersion: '1', snapshotVersion: 1, properties: named },
      ],
      [
        'PUT',
        '/api/scopes/production/eu-central/1/local-services/cache',
        { version: 0, values: { instanceRefProperty: 1 } },
      ],
    ]
    for (const [method, path, body] of bodies) {
      const problem = assertProblem(await send(method, path, { body }), 422, 'PROPERTY_PROTECTED')
      for (const text of [problem, problem.details?.[0]]) {
        assert.match(text?.message ?? '', /^Only the runtime writes a protected property/)
        assert.deepEqual(text?.parameters, { reason: 'propertyProtected' })
      }
      assert.ok(!JSON.stringify(problem).includes('instanceRefProperty'))
    }
  })

  test('never contain the name of the protected property', async () => {
    const name = 'instanceRefProperty'
    const twice = `{"snapshotVersion":1,"changes":{"${crmCore}":{"${name}":null,"${name}":null}}}`
    const manifest = demoBundles.find(({ bundle }) => bundle.bundleId === 'crm-suite')
    const [plugin] = manifest?.plugins ?? []
    const writes = { ...plugin, resources: [{ ...plugin?.resources[0], writeProperties: [name] }] }
    const published = '/api/bundles/production/crm-suite/versions/9.9.9'
    const requests: [string, string, unknown][] = [
      ['PATCH', configuration, twice],
      ['PATCH', configuration, { snapshotVersion: 1, changes: { [crmCore]: { [name]: 'bare' } } }],
      ['PATCH', configuration, { snapshotVersion: 1, changes: {}, [name]: 1 }],
      ['PATCH', configuration, { snapshotVersion: 1, changes: { [name]: {} } }],
      ['GET', `${configuration}?${name}=1`, undefined],
      ['GET', `/api/scopes/${name}/eu-central/1/configuration`, undefined],
      ['GET', `/api/${name}`, undefined],
      ['PUT', published, { ...manifest, version: '9.9.9', plugins: [writes] }],
      ['PUT', published, { ...manifest, version: '9.9.9', [name]: 1 }],
    ]
    for (const [method, path, body] of requests) {
      const { status, text } = await send(method, path, { body })
      assert.ok(status >= 400, `${method} ${path}`)
      assert.ok(!text.includes(name), text)
    }
  })

  test('for a stale snapshot are a conflict, and nothing is written', async () => {
    const before = (await send('GET', configuration)).text
    const changes = { [crmCore]: { defaultCurrency: { '@type': 'Data', value: 'USD' } } }
    assertProblem(
      await send('PATCH', configuration, { body: { snapshotVersion: 1, changes } }),
      409,
      'CONFIGURATION_SNAPSHOT_STALE',
    )
    assert.equal((await send('GET', configuration)).text, before)
  })

  test('for an invalid value name the field', async () => {
    const { snapshotVersion } = (await send('GET', configuration)).json
    const changes = { [crmCore]: { defaultCurrency: { '@type': 'Data', value: 'DOUBLOONS' } } }
    const problem = assertProblem(
      await send('PATCH', configuration, { body: { snapshotVersion, changes } }),
      422,
      'PROPERTY_INVALID',
    )
    assert.deepEqual(
      problem.details?.map(({ locator, property }) => ({ locator, property })),
      [{ locator: crmCore, property: 'defaultCurrency' }],
    )
    const bare = { [crmCore]: { defaultCurrency: 'USD' } }
    assertProblem(
      await send('PATCH', configuration, { body: { snapshotVersion, changes: bare } }),
      400,
      'REQUEST_INVALID',
    )
  })

  test('for a claim name its operation', async () => {
    const path = '/api/scopes/production/eu-north/4/configuration'
    const { snapshotVersion } = (await send('GET', path)).json
    const changes = {
      'production/billing/MODULE/invoice-engine': { paymentTermDays: { '@type': 'Data', value: 21 } },
    }
    assertProblem(
      await send('PATCH', path, { body: { snapshotVersion, changes } }),
      409,
      'OPERATION_CLAIM_HELD',
    )
  })

  test('for an address of the platform itself name the field (E01, E02)', async () => {
    const port = new URL(running.url).port
    for (const address of [
      running.url,
      running.runtimeUrl,
      `http://127.0.0.1:${port}/x`,
      `http://[::1]:${port}`,
    ]) {
      const plugin = { title: 'Itself', endpoint: address, enabled: true }
      const service = {
        title: 'Itself',
        url: address,
        methods: [],
        owner: null,
        consumers: [],
        enabled: true,
      }
      for (const [path, body] of [
        ['/api/plugins/itself', plugin],
        ['/api/services/itself', service],
      ] as const) {
        const problem = assertProblem(await send('PUT', path, { body }), 400, 'REQUEST_INVALID')
        assert.match(problem.message, /This is an address of the platform itself/)
        assert.deepEqual(
          problem.details?.map((detail) => detail.path),
          [path.includes('plugins') ? 'body.endpoint' : 'body.url'],
        )
      }
    }
  })

  test('for a malformed manifest are MANIFEST_INVALID and point into it', async () => {
    const path = '/api/bundles/production/malformed/versions/1'
    const manifest = {
      bundle: { environmentKey: 'production', bundleId: 'malformed' },
      version: '1',
      title: 'Malformed',
      resources: [],
      plugins: [],
    }
    const resource = { kind: 'MODULE', name: 'core', title: 'Core', moduleId: 'core', properties: {} }
    const broken: [unknown, string[]][] = [
      [{ ...manifest, title: '' }, ['/title']],
      [{ ...manifest, resources: [{ ...resource, kind: 'ROBOT' }] }, ['/resources/0/kind']],
      [
        { ...manifest, resources: [{ ...resource, properties: { 'a/b': 1, 'c~d': { kind: 'NONE' } } }] },
        ['/resources/0/properties/a~1b', '/resources/0/properties/c~0d'],
      ],
      [{ ...manifest, color: 'red' }, ['']],
      [[], ['']],
      ['{"title":"one","title":"two"}', ['']],
      ['{"title":', ['']],
      // well-formed, but against a rule: the runtime reports it in the same way
      [{ ...manifest, resources: [resource, resource] }, ['/resources/1/name', '/resources/1/moduleId']],
    ]
    for (const [body, places] of broken) {
      const problem = assertProblem(await send('PUT', path, { body }), 422, 'MANIFEST_INVALID')
      assert.deepEqual(
        problem.details?.map((detail) => [detail.path, detail.errorCode]),
        places.map((place) => [place, 'MANIFEST_INVALID']),
      )
    }
    // a small document can have very many problems
    const properties = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`p${index}`, 1]))
    const body = { ...manifest, resources: [{ ...resource, properties }] }
    const { details } = assertProblem(await send('PUT', path, { body }), 422, 'MANIFEST_INVALID')
    assert.equal(details?.length, 200)
  })

  test('for an unknown or non-canonical path are 404', async () => {
    const port = Number(new URL(running.url).port)
    const headers = { cookie: cookies['admin'] ?? '', 'x-requested-by': 'console' }
    const unknown = ['nothing', 'installations/', 'Installations', 'plugins/a/b/c/d', 'x'.repeat(8_000)]
    const targets = [
      ...unknown.map((path) => `/api/${path}`),
      ...NON_CANONICAL_TARGETS,
      '/%61pi/installations',
      '/api/%69nstallations',
    ]
    for (const target of targets) {
      const answer = await getTarget(port, target, headers)
      assert.match(answer, /^HTTP\/1\.1 404 .*"code":"NOT_FOUND"/s, target)
    }
    assert.match(await getTarget(port, '/api/installations', headers), /^HTTP\/1\.1 200 /)
  })

  test('of the transport are problems too', async () => {
    assertProblem(await send('GET', '/api/nothing'), 404, 'NOT_FOUND')
    assertProblem(await send('DELETE', '/api/installations'), 405, 'METHOD_NOT_ALLOWED')
    const large = { snapshotVersion: 1, changes: {}, reason: 'x'.repeat(1_200_000) }
    assertProblem(await send('PATCH', configuration, { body: large }), 413, 'PAYLOAD_TOO_LARGE')
    const broken = await send('PATCH', configuration, { body: '{"snapshotVersion":1,"snapshotVersion":2}' })
    assertProblem(broken, 400, 'REQUEST_INVALID')
    const text = { 'content-type': 'text/plain' }
    assertProblem(
      await send('PATCH', configuration, { body: 'x', headers: text }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    )
  })
})

describe('a request that needs a recent sign-in', () => {
  const failed = async (): Promise<string> =>
    (await send('GET', '/api/operations?state=FAILED&limit=1')).json.items[0].operationId
  // of a run that it does not have, so that nothing is taken over
  const takeover = async (user: string) =>
    send('POST', `/api/operations/${await failed()}/takeover`, {
      user,
      body: { run: 99, reason: 'It is over' },
    })
  const batch = async (action: 'TAKEOVER' | 'RETRY') =>
    send('POST', '/api/batches', {
      body: { action, targets: [await failed()], reason: 'It is over', planToken: 'none' },
    })
  const revoke = (user = 'admin') =>
    send('DELETE', `/api/plugins/nothing/credentials/${example['credentialId']}`, { user })

  test('is refused to a person who signed in long ago, before or after now, or nobody knows when', async () => {
    for (const age of [301, -3_600, null]) {
      await ageSignIns(age)
      for (const answer of [await takeover('admin'), await batch('TAKEOVER'), await revoke()]) {
        const problem = assertProblem(answer, 403, 'RECENT_SIGN_IN_REQUIRED')
        assert.match(problem.remedy, /Sign in again/)
      }
      // a person without the permission is not sent to sign in
      assertProblem(await takeover('viewer'), 403, 'PERMISSION_DENIED')
      assertProblem(await revoke('viewer'), 403, 'PERMISSION_DENIED')
      // what can be undone, or writes nothing, needs none
      assert.notEqual((await batch('RETRY')).json.code, 'RECENT_SIGN_IN_REQUIRED')
      const plan = await send('POST', `/api/operations/${await failed()}/takeover/plan`, {
        body: { run: 99 },
      })
      assert.equal(plan.status, 200)
    }
    await ageSignIns(290)
    assertProblem(await takeover('admin'), 409, 'TAKEOVER_NOT_ALLOWED')
    assertProblem(await batch('TAKEOVER'), 400, 'REQUEST_INVALID')
    assertProblem(await revoke(), 404, 'NOT_FOUND')
    await ageSignIns(0)
  })
})

describe('writes', () => {
  test('repeated with the same key are executed once', async () => {
    const { snapshotVersion } = (await send('GET', '/api/scopes/staging/eu-central/10/configuration')).json
    const body = {
      snapshotVersion,
      changes: {
        'production/crm-suite/MODULE/crm-core': { defaultCurrency: { '@type': 'Data', value: 'GBP' } },
      },
    }
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const path = '/api/scopes/staging/eu-central/10/configuration'
    const [first, second] = await Promise.all([
      send('PATCH', path, { body, headers }),
      send('PATCH', path, { body, headers }),
    ])
    assert.equal(first.status, 200, first.text)
    assert.deepEqual(second.json, first.json)
    assert.equal(first.json.operations.length, 1)
    const other = { ...body, reason: 'another body' }
    assertProblem(await send('PATCH', path, { body: other, headers }), 409, 'IDEMPOTENCY_KEY_REUSED')
  })
})

test('the session contains the person and their permissions', async () => {
  const { json } = await send('GET', '/api/session', { user: 'viewer' })
  assert.equal(json.user.name, 'viewer')
  assert.deepEqual(json.permissions, ['read'])
  assert.deepEqual(json.grants, [{ permissions: ['read'], scope: null }])
})
