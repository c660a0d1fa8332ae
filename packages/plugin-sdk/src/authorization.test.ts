import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CompiledAuthorization } from '../../../contract/protocol/authorization.ts'
import { successEnvelope } from '../../../contract/protocol/envelope.ts'
import { sendRequest } from '../testing/send-request.ts'
import { lifecycleRequest, LOCATOR } from '../testing/lifecycle-request.ts'
import { definePlugin, type PluginDefinition } from './define-plugin.ts'
import { applied, type HandlerResult, type Writes } from './result.ts'
import { memoryStore } from './memory-store.ts'
import { listen } from './node-listener.ts'
import { authorizationOncePerOperation } from './read-authorization.ts'
import { type MemoryTransaction } from './memory-store.ts'

const authorization: CompiledAuthorization = {
  pluginId: 'tenant-provisioner',
  protocolVersion: '6.0.0',
  order: 10,
  failurePolicy: 'FAIL_FAST',
  configuration: { schemaVersion: '1.0.0', values: {} },
  resources: [
    {
      resource: LOCATOR,
      readProperties: ['displayName', 'plan', 'seats', 'gateway'],
      writeProperties: ['tenantId'],
      credentialProperties: ['gateway'],
    },
  ],
}

async function answerTo(
  result: HandlerResult,
  more: Partial<PluginDefinition<MemoryTransaction>> = {},
  request = lifecycleRequest({
    references: { gateway: { '@type': 'ServiceReference', serviceId: 'mail-gateway' } },
  }),
) {
  const store = memoryStore()
  const plugin = definePlugin({
    pluginId: 'tenant-provisioner',
    verify: false,
    store,
    writes: { tenantId: {}, other: {}, gateway: {}, instanceRefProperty: {} },
    authorization,
    handle: { BEFORE_RESOURCES: () => result },
    ...more,
  })
  const reply = await sendRequest(plugin, request)
  await store.close()
  return reply
}

test('an authorized write is sent', async () => {
  const { response } = await answerTo(applied({ [LOCATOR]: { tenantId: 'tenant-1' } }))
  assert.equal(response?.outcome, 'APPLIED')
})

const OTHER = 'production/crm-suite/MODULE/crm-mail'
const refused: Record<string, Writes> = {
  'a property that is not in writeProperties': { [LOCATOR]: { other: 1 } },
  'a property that the plugin does not declare': { [LOCATOR]: { undeclared: 1 } },
  'a reference': { [LOCATOR]: { gateway: 'mail-gateway' } },
  instanceRefProperty: { [LOCATOR]: { instanceRefProperty: 'install-2' } },
  'a resource that is not of the call': { [OTHER]: { tenantId: 'tenant-1' } },
  'a value that JSON cannot represent': { [LOCATOR]: { tenantId: Number.NaN } },
}
for (const [name, writes] of Object.entries(refused))
  test(`${name} is not sent`, async () => {
    const reply = await answerTo(applied(writes))
    assert.equal(reply.errorCode, 'WRITE_NOT_AUTHORIZED')
    assert.equal(reply.failure?.retryable, false)
    assert.ok(!reply.body.includes('instanceRefProperty'), 'the protected name is not written out')
    assert.equal(reply.response, null)
  })

test('writes with NOT_APPLIED are rejected', async () => {
  const result = { outcome: 'NOT_APPLIED', writes: { [LOCATOR]: { tenantId: 'tenant-1' } } } as HandlerResult
  assert.equal((await answerTo(result)).errorCode, 'WRITE_NOT_AUTHORIZED')
})

test('writes with FAILED and UNKNOWN are dropped, and the outcome is kept', async () => {
  for (const outcome of ['FAILED', 'UNKNOWN'] as const) {
    const result = { outcome, writes: { 'no locator': { undeclared: 1 } } } as HandlerResult
    const { response } = await answerTo(result)
    assert.deepEqual([response?.outcome, response?.resources], [outcome, {}])
  }
})

test('a request that contains more than authorized is rejected before the handler runs', async () => {
  const request = lifecycleRequest({ values: { displayName: 'Northwind', payroll: 'secret' } })
  const reply = await answerTo(applied(), {}, request)
  assert.equal(reply.errorCode, 'REQUEST_INVALID')
  assert.ok(!reply.body.includes('secret'))
})

test('a call without an authorization is rejected', async () => {
  assert.equal((await answerTo(applied(), { authorization: () => null })).errorCode, 'REQUEST_INVALID')
})

test('a response that the runtime would not accept is not sent', async () => {
  const reply = await answerTo(applied({ [LOCATOR]: { tenantId: 'x'.repeat(1024 * 1024) } }))
  assert.equal(reply.errorCode, 'ANSWER_TOO_LARGE')
})

test('authorizations are kept for few operations if they are large, and for many if not (J01)', async (t) => {
  let reads = 0
  let names = ['displayName', 'plan', 'seats']
  const platform = await listen((incoming, outgoing) => {
    reads++
    const [module] = authorization.resources
    const answer = { ...authorization, resources: [{ ...module, readProperties: names }] }
    incoming.resume().on('end', () => outgoing.end(JSON.stringify(successEnvelope(answer))))
  })
  t.after(() => platform.close({ graceMs: 0 }))
  const read = authorizationOncePerOperation({ platformApiBase: platform.url, credential: 'c' })
  const readAll = async (prefix: string, count: number): Promise<number> => {
    const before = reads
    for (let index = 0; index < count; index++)
      await read(lifecycleRequest({ operationId: `${prefix}-${index}` }))
    return reads - before
  }
  assert.equal(await readAll('small', 100), 100)
  assert.equal(await readAll('small', 100), 0)
  names = Array.from({ length: 10_000 }, (_, index) => `${index}`.padStart(100, 'p'))
  assert.equal(await readAll('large', 40), 40)
  assert.equal(await readAll('large', 40), 40)
  assert.equal(
    await read(lifecycleRequest({ operationId: 'large-39' })),
    await read(lifecycleRequest({ operationId: 'large-39' })),
  )
  assert.equal(reads, 180)
})
