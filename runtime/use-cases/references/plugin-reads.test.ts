import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { CompiledAuthorization } from '#contract/protocol/authorization.ts'
import { openDatabase } from '#database/pool.ts'
import { uuidv7 } from '#http-kit/random.ts'
import { readTestAnswer } from '../../testing/http.ts'
import type { TestAnswer } from '../../testing/http.ts'
import { CORE, ResolveHarness } from '../../testing/resolve.ts'
import { countLockWaits, until } from '../../testing/stream.ts'

const BASE = '/module-plugin-manager/api/bundle-plugin'

let deps: ResolveHarness
let secretOfTenants: string
before(async () => {
  deps = await ResolveHarness.make()
  secretOfTenants = deps.secret
})
after(() => deps.http.close())

beforeEach(async () => {
  deps.secret = secretOfTenants
  await deps.putAll()
})

async function send(
  path: string,
  body: JsonObject,
  authorization = `Bearer ${deps.secret}`,
): Promise<TestAnswer> {
  const headers = { authorization, 'content-type': 'application/json' }
  return readTestAnswer(
    await deps.http.send(BASE + path, { method: 'POST', headers, body: JSON.stringify(body) }),
  )
}

const installation = (): JsonObject => deps.request()['installation'] as JsonObject

describe('reading the compiled authorization', () => {
  const read = (changes: JsonObject = {}, authorization?: string): Promise<TestAnswer> =>
    send(
      '/authorization/read',
      { contractVersion: '1.0.0', installation: installation(), ...changes },
      authorization,
    )

  it('returns the authorization of the calling plugin as installed', async () => {
    const answer = await read()
    assert.equal(answer.errorCode, '0')
    assert.deepEqual(CompiledAuthorization.parse(answer.data), {
      pluginId: 'tenants',
      protocolVersion: '6.0.0',
      order: 1,
      failurePolicy: 'FAIL_FAST',
      configuration: { schemaVersion: '1', values: {} },
      resources: [
        {
          resource: CORE,
          readProperties: ['name', 'alsoMail'],
          writeProperties: [],
          credentialProperties: ['publisher', 'byCountry', 'inOrder'],
        },
      ],
    })
  })

  it('returns it as frozen with the operation that claims the installation, from its first stage on', async () => {
    for (const [state, type] of [
      ['NOT_INSTALLED', 'INSTALL'],
      ['ACTIVE', 'UPGRADE'],
      ['ACTIVE', 'DETACH'],
    ] as const) {
      await deps.putInstallation(state)
      await deps.claim({ type, phase: 'BEFORE_RESOURCES', credentialProperties: ['alsoMail'] })
      const { resources } = CompiledAuthorization.parse((await read()).data)
      assert.deepEqual(resources[0]?.credentialProperties, ['alsoMail'], type)
    }
  })

  it('refuses an installation that nothing runs on and that is not active', async () => {
    for (const state of ['DETACHED', 'NOT_INSTALLED'] as const) {
      await deps.putInstallation(state)
      assert.equal((await read()).errorCode, 'INSTALLATION_NOT_ACTIVE', state)
    }
  })

  it('refuses other plugins and other places with one response (G04)', async () => {
    const others: JsonObject[] = [
      { ...installation(), workspaceId: 8 },
      { ...installation(), bundleInstallId: uuidv7(deps.http.runtime.deps) },
      { ...installation(), bundleInstallId: 'no-uuid' },
      { ...installation(), bundle: { environmentKey: 'dev', bundleId: 'other' } },
    ]
    const answers = await Promise.all(others.map((other) => read({ installation: other })))
    answers.push(await read({}, `Bearer ${await deps.newSecret('other')}`))
    for (const answer of answers) {
      assert.equal(answer.errorCode, 'PERMISSION_DENIED')
      assert.deepEqual(answer.json, answers[0]?.json)
    }
  })

  it('needs a valid credential of an enabled plugin, and no other field', async () => {
    assert.equal((await read({}, 'Bearer nothing')).status, 401)
    for (const extra of [{ pluginId: 'other' }, { contractVersion: '4.0.0' }])
      assert.equal((await read(extra)).errorCode, 'REQUEST_INVALID')
    await deps.savePlugin('tenants', { enabled: false })
    assert.equal((await read()).errorCode, 'PLUGIN_NOT_REGISTERED')
    await deps.savePlugin('tenants', { enabled: true })
  })
})

describe('reading the event declarations of a reference', () => {
  const read = (propertyKey: string): Promise<TestAnswer> =>
    send('/event-declarations/read', {
      contractVersion: '1.0.0',
      installation: installation(),
      resource: CORE,
      propertyKey,
    })

  it('returns the schemas that the owning Module declares, and any payload without an owner', async () => {
    const owner = { bundleInstallId: deps.installId, locator: CORE }
    await deps.saveService('chat', { owner, consumers: [] })
    const answer = await read('inOrder')
    assert.equal(answer.errorCode, '0', JSON.stringify(answer.json))
    assert.deepEqual(answer.data['events'], {
      chat: [
        {
          method: 'changed',
          schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
        },
        { method: 'created', schema: true },
      ],
      mail: [{ method: 'send', schema: true }],
    })
  })

  it('is refused where the reference does not resolve', async () => {
    assert.equal((await read('alsoMail')).errorCode, 'REFERENCE_NOT_AUTHORIZED')
    await deps.saveService('mail', { consumers: [] })
    assert.equal((await read('publisher')).errorCode, 'REFERENCE_NOT_AUTHORIZED')
    await deps.putInstallation('DETACHED')
    assert.equal((await read('publisher')).errorCode, 'INSTALLATION_NOT_ACTIVE')
  })
})

it('reads of one plugin that wait leave connections to the database for others (J01)', async () => {
  const { db, pool, close } = openDatabase(deps.http.connection)
  const blocker = await pool.connect()
  await blocker.query('begin; lock table runtime.installed_resource in access exclusive mode')
  const body = { contractVersion: '1.0.0', installation: installation() }
  const reads = Array.from({ length: 20 }, () => send('/authorization/read', body))
  await until(async () => (await countLockWaits(db)) >= 4)
  assert.equal((await deps.http.call('/plugins')).status, 200)
  assert.equal(await countLockWaits(db), 4)
  await blocker.query('rollback')
  blocker.release()
  for (const { errorCode } of await Promise.all(reads)) assert.equal(errorCode, '0')
  await close()
})
