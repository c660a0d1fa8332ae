import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { decodeJwt } from 'jose'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { InstallationIdentity } from '#contract/protocol/scope.ts'
import {
  applied,
  credentialFromFile,
  definePlugin,
  listen,
  memoryStore,
  ReferenceNotResolved,
  resolveReference,
  toNodeListener,
} from '#plugin-sdk/src/index.ts'
import type { LifecycleCall, Listening, MemoryTransaction, Writes } from '#plugin-sdk/src/index.ts'
import { sendRequest } from '#plugin-sdk/testing/send-request.ts'
import { lifecycleRequest } from '#plugin-sdk/testing/lifecycle-request.ts'
import { CORE, reference, ResolveHarness } from '../testing/resolve.ts'

// The SDK of plugin authors against this runtime, over HTTP.

let platform: ResolveHarness
let server: Listening
let folder: string
/** The paths of the requests that the platform received. */
const paths: string[] = []

before(async () => {
  platform = await ResolveHarness.make()
  server = await listen(
    toNodeListener(async (request) => {
      paths.push(new URL(request.url).pathname)
      return platform.http.runtime.app.fetch(request)
    }),
  )
  folder = mkdtempSync(join(tmpdir(), 'plugin-sdk-'))
})
after(async () => {
  await server.close({ graceMs: 0 })
  await platform.http.close()
  rmSync(folder, { recursive: true })
})

beforeEach(async () => {
  await platform.putAll()
  paths.length = 0
})

const installation = (): InstallationIdentity =>
  InstallationIdentity.parse(platform.request()['installation'])
const location = (propertyKey: string) => ({ installation: installation(), resource: CORE, propertyKey })
const resolve = (propertyKey: string, credential: string | (() => Promise<string>) = platform.secret) =>
  resolveReference({ platformApiBase: server.url, credential, ...location(propertyKey) })

describe('references', () => {
  it('resolve to one service', async () => {
    const { reference: found, access, expiresAt } = await resolve('publisher')
    assert.deepEqual(found, reference('mail'))
    assert.deepEqual(Object.keys(access), ['mail'])
    const { aud, exp } = decodeJwt(access['mail']?.token ?? '')
    assert.equal(aud, 'mail')
    assert.equal((expiresAt?.getTime() ?? 0) / 1000, exp)
  })

  it('resolve as a map by business key, and as a list in order, with one access entry for each service', async () => {
    const map = await resolve('byCountry')
    assert(map.reference['@type'] === 'ServiceReferenceMap')
    assert.equal(map.reference.valueMap['ch']?.serviceId, 'mail')
    assert.deepEqual(Object.keys(map.access).toSorted(), ['chat', 'mail'])
    const list = await resolve('inOrder')
    assert(list.reference['@type'] === 'ServiceReferenceList')
    assert.deepEqual(
      list.reference.valueList.map(({ serviceId }) => serviceId),
      ['chat', 'mail', 'chat'],
    )
    assert.deepEqual(Object.keys(list.access).toSorted(), ['chat', 'mail'])
  })

  it('resolve wholly or not at all', async () => {
    await platform.saveService('chat', { consumers: [] })
    await assert.rejects(
      resolve('inOrder'),
      (error) => error instanceof ReferenceNotResolved && error.errorCode === 'REFERENCE_NOT_AUTHORIZED',
    )
  })

  it('resolve with a rotated credential without a restart', async () => {
    const file = join(folder, 'credential')
    writeFileSync(file, `${platform.secret}\n`)
    const credential = credentialFromFile(file)
    await resolve('publisher', credential)
    const revokeOld = await rotate()
    await resolve('publisher', credential)
    writeFileSync(file, platform.secret)
    await revokeOld()
    await resolve('publisher', credential)
  })

  it('resolve if the credential is replaced between reading it and using it', async () => {
    const old = platform.secret
    const revokeOld = await rotate()
    await revokeOld()
    const secrets = [old, platform.secret]
    await resolve('publisher', async () => secrets.shift() ?? '')
    await assert.rejects(
      resolve('publisher', async () => old),
      /revoked/,
    )
  })
})

/** Issues a second credential, which becomes the current one; the result revokes the first. */
async function rotate(): Promise<() => Promise<void>> {
  const listed = await platform.http.call('/plugins/tenants')
  const old = (listed.data['credentials'] as { credentialId: string; revokedAt: string | null }[]).find(
    ({ revokedAt }) => revokedAt === null,
  )
  platform.secret = await platform.newSecret('tenants')
  return async () => {
    await platform.http.call(`/plugins/tenants/credentials/${old?.credentialId}`, { method: 'DELETE' })
  }
}

describe('the compiled authorization', () => {
  const request = (changes: JsonObject = {}) => {
    const made = lifecycleRequest({ pluginId: 'tenants', operationType: 'CONFIGURE' })
    const [entry] = Object.values(made.resources)
    assert(entry !== undefined)
    const properties = { name: { '@type': 'Data' as const, value: 'Acme' } }
    return {
      ...made,
      installation: installation(),
      resources: { [CORE]: { ...entry, properties } },
      ...changes,
    }
  }
  const plugin = (handler: (call: LifecycleCall<MemoryTransaction>) => Writes) => {
    const handle = (call: LifecycleCall<MemoryTransaction>) => call.conclude(() => applied(handler(call)))
    return definePlugin({
      pluginId: 'tenants',
      verify: false,
      store: memoryStore(),
      platformApiBase: server.url,
      credential: platform.secret,
      writes: { name: {} },
      handle: { BEFORE_RESOURCES: handle, AFTER_RESOURCES: handle },
    })
  }
  const reads = () => paths.filter((path) => path.endsWith('/authorization/read')).length

  it('is read once for an operation, and not for a repeat', async () => {
    const running = plugin(() => ({}))
    assert.equal((await sendRequest(running, request())).response?.outcome, 'APPLIED')
    assert.equal((await sendRequest(running, request())).response?.outcome, 'APPLIED')
    assert.equal(
      (await sendRequest(running, request({ stage: 'AFTER_RESOURCES' }))).response?.outcome,
      'APPLIED',
    )
    assert.equal(reads(), 1)
  })

  it('refuses a write before it leaves, although the plugin declares it', async () => {
    const { errorCode, failure } = await sendRequest(
      plugin(() => ({ [CORE]: { name: 'written' } })),
      request(),
    )
    assert.equal(errorCode, 'WRITE_NOT_AUTHORIZED')
    assert.match(failure?.message ?? '', /name of .* is not in the writeProperties/)
  })

  it('refuses a request with more than the plugin may read, before the handler runs', async () => {
    let runs = 0
    const running = plugin(() => {
      runs++
      return {}
    })
    const { resources } = request()
    const more = { ...resources[CORE], properties: { alsoSecret: { '@type': 'Data', value: 1 } } }
    const { errorCode } = await sendRequest(running, request({ resources: { [CORE]: more } }))
    assert.equal(errorCode, 'REQUEST_INVALID')
    assert.equal(runs, 0)
  })

  it('is a retryable failure as long as it cannot be read, and final if the plugin is not bound', async () => {
    const other = definePlugin({
      pluginId: 'other',
      verify: false,
      store: memoryStore(),
      platformApiBase: server.url,
      credential: await platform.newSecret('other'),
      handle: { BEFORE_RESOURCES: () => applied() },
    })
    const refused = await sendRequest(other, request({ pluginId: 'other' }))
    assert.equal(refused.errorCode, 'AUTHORIZATION_UNAVAILABLE')
    assert.equal(refused.failure?.retryable, false)

    await platform.savePlugin('tenants', { enabled: false })
    const running = plugin(() => ({}))
    const unavailable = await sendRequest(running, request())
    assert.equal(unavailable.errorCode, 'AUTHORIZATION_UNAVAILABLE')
    assert.equal(unavailable.failure?.retryable, true)
    await platform.savePlugin('tenants', { enabled: true })
    assert.equal((await sendRequest(running, request())).response?.outcome, 'APPLIED')
  })
})
