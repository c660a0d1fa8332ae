import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createLocalJWKSet, jwtVerify } from 'jose'
import type { JSONWebKeySet } from 'jose'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { uuidv7 } from '#http-kit/random.ts'
import { API, RESOLVE, textOf } from '../../testing/http.ts'
import { CORE, dataOf, reference, ResolveHarness, SCOPE } from '../../testing/resolve.ts'
import type { Claim, InstallationState } from '../../testing/resolve.ts'

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

describe('resolving a reference', () => {
  it('returns the reference, the URL and a token for this plugin, service and installation', async () => {
    const answer = await deps.resolve()
    assert.equal(answer.errorCode, '0')
    const data = dataOf(answer)
    assert.deepEqual(data.installation, deps.request()['installation'])
    assert.equal(data.resource, CORE)
    assert.equal(data.propertyKey, 'publisher')
    assert.deepEqual(data.reference, reference('mail'))
    assert.deepEqual(Object.keys(data.access), ['mail'])
    assert.equal(data.access['mail']?.url, 'http://127.0.0.1:9/mail')

    const keys = (await (await deps.http.send(`${API}/.well-known/jwks.json`)).json()) as JSONWebKeySet
    const { payload } = await jwtVerify(data.access['mail']?.token ?? '', createLocalJWKSet(keys), {
      audience: 'mail',
      issuer: 'http://platform.test',
    })
    assert.equal(payload.sub, 'tenants')
    assert.deepEqual(payload['methods'], ['send'])
    assert.deepEqual(payload['installation'], data.installation)
    assert.match(String(data.expiresAt), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/)
    assert.equal(Date.parse(String(data.expiresAt)) / 1000, payload.exp)
    assert.equal((payload.exp ?? 0) - (payload.iat ?? 0), 300)
  })

  it('keeps the keys of a map and the order of a list, with one access entry for each service', async () => {
    const map = dataOf(await deps.resolve(deps.request({ propertyKey: 'byCountry' })))
    assert(map.reference['@type'] === 'ServiceReferenceMap')
    assert.deepEqual(Object.keys(map.reference.valueMap).toSorted(), ['at', 'ch', 'de'])
    assert.deepEqual(Object.keys(map.access).toSorted(), ['chat', 'mail'])
    const list = dataOf(await deps.resolve(deps.request({ propertyKey: 'inOrder' })))
    assert(list.reference['@type'] === 'ServiceReferenceList')
    assert.deepEqual(
      list.reference.valueList.map(({ serviceId }) => serviceId),
      ['chat', 'mail', 'chat'],
    )
    assert.deepEqual(Object.keys(list.access), ['chat', 'mail'])
  })

  it('ignores an actor assertion', async () => {
    const answer = await deps.resolve(deps.request(), { 'x-runtime-actor-assertion': 'whatever' })
    assert.equal(answer.errorCode, '0')
  })

  it('returns the declared events as methods of a service that a Module owns, including its own', async () => {
    const owner = { bundleInstallId: deps.installId, locator: CORE }
    await deps.saveService('mail', { owner, methods: ['anything'], consumers: [] })
    const token = dataOf(await deps.resolve()).access['mail']?.token ?? ''
    const [, payload = ''] = token.split('.')
    assert.deepEqual(JSON.parse(Buffer.from(payload, 'base64url').toString()).methods, ['changed', 'created'])
  })
})

describe('a caller may not resolve', () => {
  it('with an unknown credential, or at an outdated path', async () => {
    for (const authorization of [
      '',
      'Bearer',
      'Bearer nothing',
      `Basic ${deps.secret}`,
      `Bearer ${deps.secret}x`,
    ]) {
      const answer = await deps.resolve(deps.request(), { authorization })
      assert.equal(answer.status, 401)
      assert.equal(answer.headers.get('content-type'), 'application/problem+json')
    }
    for (const path of ['/bundle-plugin/service-reference/resolve', '/plugin/service-reference/resolve']) {
      for (const base of ['', '/module-plugin-manager', '/bundle-runtime/api']) {
        const response = await deps.http.send(base + path, {
          method: 'POST',
          headers: { authorization: `Bearer ${deps.secret}` },
        })
        assert.equal(response.status, 404, base + path)
      }
    }
    const get = await deps.http.send(RESOLVE)
    assert.equal(get.status, 405)
  })

  it('with a revoked credential, or if its plugin is disabled', async () => {
    const { data } = await deps.http.call('/plugins/tenants/credentials', { method: 'POST', body: {} })
    deps.secret = textOf(data['secret'])
    assert.equal((await deps.resolve()).errorCode, '0')
    await deps.http.call(`/plugins/tenants/credentials/${textOf(data['credentialId'])}`, {
      method: 'DELETE',
    })
    const revoked = await deps.resolve()
    assert.equal(revoked.status, 200)
    assert.equal(revoked.errorCode, 'CREDENTIAL_REVOKED')
    deps.secret = secretOfTenants
    await deps.savePlugin('tenants', { enabled: false })
    assert.equal((await deps.resolve()).errorCode, 'PLUGIN_NOT_REGISTERED')
    await deps.savePlugin('tenants', { enabled: true })
    assert.equal((await deps.resolve()).errorCode, '0')
  })

  it('if the installation does not name its plugin', async () => {
    deps.secret = await deps.newSecret('other')
    assert.equal((await deps.resolve()).errorCode, 'REFERENCE_NOT_AUTHORIZED')
  })
})

describe('a request', () => {
  it('contains every field, and no plugin, target, URL or token', async () => {
    for (const extra of ['pluginId', 'serviceId', 'url', 'token', 'target'])
      assert.equal((await deps.resolve(deps.request({ [extra]: 'x' }))).errorCode, 'REQUEST_INVALID', extra)
    for (const field of Object.keys(deps.request())) {
      const { [field]: _, ...rest } = deps.request()
      const answer = await deps.resolve(rest)
      assert.equal(answer.errorCode, 'REQUEST_INVALID', field)
      assert.match(JSON.stringify(answer.data), new RegExp(`body.${field}`))
    }
    assert.equal(
      (await deps.resolve(deps.request({ contractVersion: '3.0.0' }))).errorCode,
      'REQUEST_INVALID',
    )
  })

  it('matches the installation in every field', async () => {
    const installation = deps.request()['installation'] as JsonObject
    const others: JsonObject[] = [
      { ...installation, environmentKey: 'test' },
      { ...installation, applicationRuntimeId: 'other' },
      { ...installation, workspaceId: 8 },
      { ...installation, bundleInstallId: uuidv7(deps.http.runtime.deps) },
      { ...installation, bundleInstallId: deps.installId.toUpperCase() },
      { ...installation, bundleInstallId: 'no-uuid' },
      { ...installation, bundle: { environmentKey: 'test', bundleId: 'crm' } },
      { ...installation, bundle: { environmentKey: 'dev', bundleId: 'other' } },
    ]
    const answers = await Promise.all(
      others.map((other) => deps.resolve(deps.request({ installation: other }))),
    )
    for (const answer of answers) {
      assert.equal(answer.errorCode, 'REFERENCE_NOT_AUTHORIZED')
      assert.deepEqual(answer.json, answers[0]?.json, 'all get the same answer')
    }
  })

  it('names a reference that the authorization lists, on an installed resource', async () => {
    for (const changes of [
      // bound to the same service, but not listed
      { propertyKey: 'alsoMail' },
      { propertyKey: 'name' },
      { propertyKey: 'missing' },
      { propertyKey: 'constructor1' },
      { resource: 'dev/crm/MODULE/other' },
    ])
      assert.equal((await deps.resolve(deps.request(changes))).errorCode, 'REFERENCE_NOT_AUTHORIZED')
  })
})

describe('the targets', () => {
  const refused = async (code: string): Promise<void> => {
    const answer = await deps.resolve(deps.request({ propertyKey: 'inOrder' }))
    assert.equal(answer.errorCode, code)
    assert.doesNotMatch(JSON.stringify(answer.json), /eyJ|http:/, 'nothing is handed out')
  }

  it('are all usable by the scope', async () => {
    await deps.saveService('chat', { consumers: [{ ...SCOPE, workspaceId: 8 }] })
    await refused('REFERENCE_NOT_AUTHORIZED')
    await deps.saveService('chat', { consumers: [] })
    await refused('REFERENCE_NOT_AUTHORIZED')
  })

  it('are all enabled and registered', async () => {
    await deps.saveService('chat', { consumers: [SCOPE], enabled: false })
    await refused('REFERENCE_TARGET_UNAVAILABLE')
    await deps.http.runtime.deps.db.deleteFrom('runtime.service').where('service_id', '=', 'chat').execute()
    await refused('REFERENCE_TARGET_UNAVAILABLE')
  })

  it('have an ACTIVE owner that still has the Module', async () => {
    await deps.saveService('chat', {
      consumers: [SCOPE],
      owner: { bundleInstallId: deps.installId, locator: CORE },
    })
    await deps.putInstallation('ACTIVE')
    await refused('REFERENCE_TARGET_UNAVAILABLE')
  })
})

describe('the state of the installation', () => {
  const codeWith = async (
    state: InstallationState,
    claimed?: Claim,
    propertyKey = 'publisher',
  ): Promise<string> => {
    await deps.putInstallation(state)
    if (claimed !== undefined) await deps.claim(claimed)
    return (await deps.resolve(deps.request({ propertyKey }))).errorCode
  }

  it('must be active', async () => {
    assert.equal(await codeWith('ACTIVE'), '0')
    assert.equal(await codeWith('DETACHED'), 'INSTALLATION_NOT_ACTIVE')
    assert.equal(await codeWith('NOT_INSTALLED'), 'INSTALLATION_NOT_ACTIVE')
    const install = { type: 'INSTALL' } as const
    assert.equal(
      await codeWith('NOT_INSTALLED', { ...install, phase: 'BEFORE_RESOURCES' }),
      'INSTALLATION_NOT_ACTIVE',
    )
    assert.equal(
      await codeWith('NOT_INSTALLED', { ...install, phase: 'RESOURCES' }),
      'INSTALLATION_NOT_ACTIVE',
    )
    assert.equal(await codeWith('NOT_INSTALLED', { ...install, phase: 'AFTER_RESOURCES' }), '0')
    assert.equal(
      await codeWith('NOT_INSTALLED', { ...install, phase: 'AFTER_RESOURCES', state: 'FAILED' }),
      '0',
    )
    for (const phase of ['BEFORE_RESOURCES', 'AFTER_RESOURCES'] as const) {
      assert.equal(await codeWith('ACTIVE', { type: 'DETACH', phase }), '0')
      assert.equal(await codeWith('NOT_INSTALLED', { type: 'DETACH', phase }), '0')
    }
  })

  it('selects the authorization of what was last applied', async () => {
    const upgrade = { type: 'UPGRADE', credentialProperties: ['alsoMail'] } as const
    const before = { ...upgrade, phase: 'BEFORE_RESOURCES' } as const
    assert.equal(await codeWith('ACTIVE', before, 'publisher'), '0')
    assert.equal(await codeWith('ACTIVE', before, 'alsoMail'), 'REFERENCE_NOT_AUTHORIZED')
    const applied = { ...upgrade, phase: 'AFTER_RESOURCES' } as const
    assert.equal(await codeWith('ACTIVE', applied, 'publisher'), 'REFERENCE_NOT_AUTHORIZED')
    assert.equal(await codeWith('ACTIVE', applied, 'alsoMail'), '0')
  })

  it('does not expose values that were only saved', async () => {
    const { db } = deps.http.runtime.deps
    await db
      .insertInto('runtime.configuration_property')
      .values({
        scope_id: await deps.scopeId(),
        locator: CORE,
        property: 'publisher',
        bundle_install_id: deps.installId,
        value: JSON.stringify(reference('chat')),
        snapshot_version: 2,
      })
      .execute()
    assert.deepEqual(dataOf(await deps.resolve()).reference, reference('mail'))
  })
})
