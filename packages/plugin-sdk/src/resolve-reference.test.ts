import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { failureEnvelope, successEnvelope } from '../../../contract/protocol/envelope.ts'
import { sendRequest } from '../testing/send-request.ts'
import { lifecycleRequest, LOCATOR } from '../testing/lifecycle-request.ts'
import { definePlugin } from './define-plugin.ts'
import { listen } from './node-listener.ts'
import { ReferenceNotResolved, resolveReference } from './resolve-reference.ts'
import { applied, PluginFailure } from './result.ts'
import { memoryStore } from './memory-store.ts'

const { installation } = lifecycleRequest()
const asked = { contractVersion: '4.0.0', installation, resource: LOCATOR, propertyKey: 'mailGateway' }
const honest = {
  ...asked,
  reference: { '@type': 'ServiceReference', serviceId: 'mail-gateway' },
  access: { 'mail-gateway': { url: 'https://mail.example', token: 'short-lived' } },
  expiresAt: '2999-01-01T00:00:00.000Z',
}

async function platform(t: TestContext, answer: unknown, status = 200) {
  const seen: { path: string; authorization: string; body: unknown }[] = []
  const { url, close } = await listen(async (incoming, outgoing) => {
    const body = await new Response(
      new ReadableStream({
        async start(controller) {
          for await (const chunk of incoming) controller.enqueue(chunk)
          controller.close()
        },
      }),
    ).json()
    seen.push({ path: incoming.url ?? '', authorization: incoming.headers.authorization ?? '', body })
    outgoing.writeHead(status, { location: '/elsewhere' }).end(JSON.stringify(answer))
  })
  t.after(() => close({ graceMs: 0 }))
  const resolve = () =>
    resolveReference({ platformApiBase: `${url}/`, credential: 'plugin-credential', ...asked })
  return { url, seen, resolve }
}

test('the request contains only the location, and the credential as a bearer token', async (t) => {
  const { resolve, seen } = await platform(t, successEnvelope(honest))
  const { access, expiresAt } = await resolve()
  assert.deepEqual(access, honest.access)
  assert.equal(expiresAt?.getUTCFullYear(), 2999)
  assert.deepEqual(seen, [
    {
      path: '/module-plugin-manager/api/bundle-plugin/service-reference/resolve',
      authorization: 'Bearer plugin-credential',
      body: asked,
    },
  ])
})

test('no expiry is accepted', async (t) => {
  const { resolve } = await platform(t, successEnvelope({ ...honest, expiresAt: null }))
  assert.equal((await resolve()).expiresAt, null)
})

const refusals: Record<string, { answer: unknown; status?: number; errorCode: string; retryable: boolean }> =
  {
    'another installation': {
      answer: successEnvelope({ ...honest, installation: { ...installation, bundleInstallId: 'install-2' } }),
      errorCode: 'RESOLUTION_UNCERTAIN',
      retryable: true,
    },
    'another property': {
      answer: successEnvelope({ ...honest, propertyKey: 'other' }),
      errorCode: 'RESOLUTION_UNCERTAIN',
      retryable: true,
    },
    'access that has expired': {
      answer: successEnvelope({ ...honest, expiresAt: '2020-01-01T00:00:00Z' }),
      errorCode: 'RESOLUTION_UNCERTAIN',
      retryable: true,
    },
    'a service without access': {
      answer: successEnvelope({ ...honest, access: {} }),
      errorCode: 'RESOLUTION_UNCERTAIN',
      retryable: true,
    },
    'a revoked credential': {
      answer: failureEnvelope('CREDENTIAL_REVOKED', { message: 'Revoked', retryable: false }),
      errorCode: 'CREDENTIAL_REVOKED',
      retryable: false,
    },
    'an unknown credential': {
      answer: {},
      status: 401,
      errorCode: 'AUTHENTICATION_REQUIRED',
      retryable: false,
    },
    'a redirect': { answer: {}, status: 307, errorCode: 'RESOLUTION_UNCERTAIN', retryable: true },
    'a platform with an internal error': {
      answer: {},
      status: 503,
      errorCode: 'RESOLUTION_UNCERTAIN',
      retryable: true,
    },
  }
for (const [name, { answer, status, errorCode, retryable }] of Object.entries(refusals))
  test(`${name} resolves nothing`, async (t) => {
    const { resolve } = await platform(t, answer, status)
    await assert.rejects(resolve(), (error) => {
      assert.ok(error instanceof ReferenceNotResolved)
      assert.deepEqual({ errorCode: error.errorCode, retryable: error.retryable }, { errorCode, retryable })
      return true
    })
  })

for (const [name, why] of Object.entries({
  'an unknown credential': 'it is unknown',
  'a revoked credential': 'it was revoked',
}))
  test(`${name} says in one line what to do, and is not retryable`, async (t) => {
    const { answer, status } = refusals[name] ?? assert.fail()
    const { resolve, url } = await platform(t, answer, status)
    const sentence = `The platform rejected the credential: ${why}. Create another one on the page of the plugin in the console, and give it to the plugin.`
    await assert.rejects(resolve(), { name: 'ReferenceNotResolved', message: sentence, retryable: false })
    const plugin = definePlugin({
      pluginId: 'tenant-provisioner',
      verify: false,
      store: memoryStore(),
      platformApiBase: url,
      credential: 'plugin-credential',
      handle: {},
    })
    const { errorCode, failure } = await sendRequest(plugin, lifecycleRequest())
    assert.equal(errorCode, 'AUTHORIZATION_UNAVAILABLE')
    assert.equal(failure?.message, `The authorization of the plugin could not be read: ${sentence}`)
    assert.equal(failure.retryable, false)
  })

test('resolved values cannot be written back, and a failed resolution becomes the response', async (t) => {
  const { url } = await platform(t, successEnvelope(honest))
  const refusing = await platform(t, refusals['a revoked credential']?.answer)
  const answerWith = async (platformApiBase: string) => {
    const plugin = definePlugin({
      pluginId: 'tenant-provisioner',
      verify: false,
      store: memoryStore(),
      platformApiBase,
      credential: 'plugin-credential',
      // this stand-in answers only one question
      authorization: false,
      writes: { tenantId: {} },
      handle: {
        AFTER_RESOURCES: async (call) => {
          const { access } = await call.resolve(LOCATOR, 'mailGateway')
          return applied({ [LOCATOR]: { tenantId: { note: `uses ${access['mail-gateway']?.token}` } } })
        },
      },
    })
    return sendRequest(plugin, lifecycleRequest({ stage: 'AFTER_RESOURCES' }))
  }
  const written = await answerWith(url)
  assert.equal(written.errorCode, 'WRITE_NOT_AUTHORIZED')
  assert.ok(!written.body.includes('short-lived'))
  assert.equal((await answerWith(refusing.url)).errorCode, 'CREDENTIAL_REVOKED')
})

test('a failure that a handler throws does not tell what a resolution gave', async (t) => {
  const { url } = await platform(t, successEnvelope(honest))
  const { 'mail-gateway': access } = honest.access
  const plugin = definePlugin({
    pluginId: 'tenant-provisioner',
    verify: false,
    authorization: false,
    store: memoryStore(),
    platformApiBase: url,
    credential: 'plugin-credential',
    handle: {
      AFTER_RESOURCES: async (call) => {
        await call.resolve(LOCATOR, 'mailGateway')
        const message = `No: ${access.url} with ${access.token} or eyJhbGciOiJ.eyJ`
        throw new PluginFailure({ errorCode: 'TARGET_BUSY', message, retryable: true })
      },
    },
  })
  const answer = await sendRequest(plugin, lifecycleRequest({ stage: 'AFTER_RESOURCES' }))
  assert.deepEqual(answer.failure, {
    message: 'No: [removed] with [removed] or [removed]',
    retryable: true,
    errorPath: ['tenant-provisioner'],
  })
})

test('resolving in BEFORE_RESOURCES of an INSTALL is a final failure that says where it works', async () => {
  const plugin = definePlugin({
    pluginId: 'tenant-provisioner',
    verify: false,
    authorization: false,
    store: memoryStore(),
    platformApiBase: 'http://127.0.0.1:1',
    credential: 'plugin-credential',
    handle: {
      BEFORE_RESOURCES: async (call) => {
        await call.resolve(LOCATOR, 'mailGateway')
        return applied()
      },
    },
  })
  const { errorCode, failure } = await sendRequest(plugin, lifecycleRequest())
  assert.equal(errorCode, 'INSTALLATION_NOT_ACTIVE')
  assert.equal(failure?.retryable, false)
  assert.match(failure.message, /AFTER_RESOURCES/)
})
