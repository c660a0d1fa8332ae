import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import type { JWTPayload } from 'jose'
import { sendRequest } from '../testing/send-request.ts'
import { lifecycleRequest } from '../testing/lifecycle-request.ts'
import { ISSUER, runtimeTokens } from '../testing/runtime-tokens.ts'
import { definePlugin, type PluginDefinition } from './define-plugin.ts'
import { listen } from './node-listener.ts'
import { applied } from './result.ts'
import { memoryStore } from './memory-store.ts'
import { jwksAddress } from './token.ts'
import { type MemoryTransaction } from './memory-store.ts'

const tokens = await runtimeTokens()
const request = lifecycleRequest()

function pluginWith(more: Partial<PluginDefinition<MemoryTransaction>> = {}) {
  const store = memoryStore()
  return definePlugin({
    pluginId: 'tenant-provisioner',
    issuer: ISSUER,
    verify: tokens.keys,
    store,
    handle: { BEFORE_RESOURCES: () => applied() },
    ...more,
  })
}

test("the runtime's token is accepted", async () => {
  assert.equal(
    (await sendRequest(pluginWith(), request, await tokens.sign(request))).response?.outcome,
    'APPLIED',
  )
})

const wrong: Record<string, JWTPayload> = {
  'another issuer': { iss: 'https://elsewhere.example' },
  'another audience': { aud: 'another-plugin' },
  'another operation': { sub: 'operation-2' },
  'another stage': { stage: 'AFTER_RESOURCES' },
  'another sequence': { executionSequence: 2 },
  'a sequence as a string': { executionSequence: '1' },
  'no stage': { stage: undefined },
  // the type of jose has no iat that is undefined
  'no time of issue': { iat: undefined as never },
}
for (const [name, claims] of Object.entries(wrong))
  test(`a token for ${name} is rejected`, async () => {
    const response = await sendRequest(pluginWith(), request, await tokens.sign(request, claims))
    assert.equal(response.status, 401)
    assert.equal(JSON.parse(response.body).code, 'AUTHENTICATION_REQUIRED')
  })

test('a setting that refuses a signed token is named once, and a foreign token names nothing', async (t) => {
  const printed = t.mock.method(console, 'error', () => undefined)
  const plugin = pluginWith({ log: () => undefined })
  const elsewhere = { iss: 'http://localhost:8081' }
  const foreign = await runtimeTokens()
  for (const token of [
    await foreign.sign(request, elsewhere),
    await tokens.sign(request, elsewhere),
    await tokens.sign(request, elsewhere),
    await tokens.sign(request, { aud: 'tenant-mailer' }),
  ])
    assert.equal((await sendRequest(plugin, request, token)).status, 401)
  const [issuer, audience, ...more] = printed.mock.calls.map((call) => String(call.arguments[0]))
  assert.match(String(issuer), /"http:\/\/localhost:8081".*issuer is "https:\/\/platform\.example"/)
  assert.match(String(audience), /for "tenant-mailer".*this program is "tenant-provisioner"/)
  assert.deepEqual(more, [])
})

test('a missing, malformed, unsigned, expired or foreign token is rejected', async () => {
  const none = Buffer.from('{"alg":"none"}').toString('base64url')
  const foreign = await (await runtimeTokens()).sign(request)
  const unsigned = `${none}.${(await tokens.sign(request)).split('.')[1]}.`
  for (const token of [undefined, 'nothing', unsigned, await tokens.sign(request, {}, '-2m'), foreign])
    assert.equal((await sendRequest(pluginWith(), request, token)).status, 401)
})

test('the keys are fetched from the platform', async (t) => {
  let asked = ''
  const { url, close } = await listen((incoming, outgoing) => {
    asked = incoming.url ?? ''
    outgoing.setHeader('content-type', 'application/json').end(JSON.stringify(tokens.keys))
  })
  t.after(() => close())
  const plugin = pluginWith({ platformApiBase: `${url}/base/`, verify: true })
  assert.equal((await sendRequest(plugin, request, await tokens.sign(request))).response?.outcome, 'APPLIED')
  assert.equal(asked, '/base/bundle-runtime/api/.well-known/jwks.json')
})

test('a key that the platform adds is fetched within seconds', async (t) => {
  const keys = [...tokens.keys.keys]
  const { url, close } = await listen((_, outgoing) => {
    outgoing.setHeader('content-type', 'application/json').end(JSON.stringify({ keys }))
  })
  t.after(() => close())
  const plugin = pluginWith({ platformApiBase: url, verify: true })
  await sendRequest(plugin, request, await tokens.sign(request))
  const added = await runtimeTokens('key-2')
  keys.push(...added.keys.keys)
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 3_000 })
  assert.equal((await sendRequest(plugin, request, await added.sign(request))).response?.outcome, 'APPLIED')
})

test('if keys cannot be fetched the failure is retryable', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  await new Promise((resolve) => server.close(resolve))
  const plugin = pluginWith({ platformApiBase: `http://127.0.0.1:${port}`, verify: true })
  assert.equal((await sendRequest(plugin, request, await tokens.sign(request))).status, 503)
})

test('a definition without an issuer is an error', () => {
  const { issuer: _, ...rest } = { issuer: '', pluginId: 'p', store: memoryStore(), handle: {} }
  assert.throws(() => definePlugin(rest), /platformApiBase/)
})

test('the address of the keys accepts a base with and without a trailing slash', () => {
  const expected = 'https://a.example/p/bundle-runtime/api/.well-known/jwks.json'
  assert.equal(jwksAddress('https://a.example/p').href, expected)
  assert.equal(jwksAddress('https://a.example/p/').href, expected)
})

test('keys that cannot be fetched are explained once, with the address and the cause', async (t) => {
  const printed = t.mock.method(console, 'error', () => undefined)
  const plugin = definePlugin({
    pluginId: 'tenant-provisioner',
    store: memoryStore(),
    platformApiBase: 'http://127.0.0.1:1',
    log: () => undefined,
    handle: {},
  })
  const token = await tokens.sign(request, { iss: 'http://127.0.0.1:1' })
  for (let attempt = 0; attempt < 2; attempt++)
    assert.equal((await sendRequest(plugin, request, token)).status, 503)
  assert.equal(printed.mock.callCount(), 1)
  assert.match(
    String(printed.mock.calls[0]?.arguments[0]),
    /^The keys of the platform could not be fetched from http:\/\/127\.0\.0\.1:1\/bundle-runtime\/api\/\.well-known\/jwks\.json: \w.*\. Check platformApiBase/,
  )
})
