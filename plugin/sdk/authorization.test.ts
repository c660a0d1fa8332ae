import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CompiledAuthorization } from '#contract/protocol/authorization.ts'
import { ask } from '../testing/ask.ts'
import { lifecycleRequest, LOCATOR } from '../testing/lifecycle-request.ts'
import { definePlugin, type PluginDefinition } from './define-plugin.ts'
import { applied, type HandlerResult, type Writes } from './result.ts'
import { memoryStore } from './sqlite-store.ts'
import { type SqliteTransaction } from './sqlite-memory.ts'

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
  more: Partial<PluginDefinition<SqliteTransaction>> = {},
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
  const told = await ask(plugin, request)
  await store.close()
  return told
}

test('an authorized write leaves', async () => {
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
  'a value that JSON cannot say': { [LOCATOR]: { tenantId: Number.NaN } },
}
for (const [name, writes] of Object.entries(refused))
  test(`${name} does not leave`, async () => {
    const told = await answerTo(applied(writes))
    assert.equal(told.errorCode, 'WRITE_NOT_AUTHORIZED')
    assert.equal(told.failure?.retryable, false)
    assert.ok(!told.body.includes('instanceRefProperty'), 'the protected name is not written out')
    assert.equal(told.response, null)
  })

test('writes beside NOT_APPLIED do not leave', async () => {
  const result = { outcome: 'NOT_APPLIED', writes: { [LOCATOR]: { tenantId: 'tenant-1' } } } as HandlerResult
  assert.equal((await answerTo(result)).errorCode, 'WRITE_NOT_AUTHORIZED')
})

test('writes beside FAILED and UNKNOWN are dropped, and the outcome stands', async () => {
  for (const outcome of ['FAILED', 'UNKNOWN'] as const) {
    const result = { outcome, writes: { 'no locator': { undeclared: 1 } } } as HandlerResult
    const { response } = await answerTo(result)
    assert.deepEqual([response?.outcome, response?.resources], [outcome, {}])
  }
})

test('a request that shows more than is authorized is refused before the handler', async () => {
  const request = lifecycleRequest({ values: { displayName: 'Northwind', payroll: 'secret' } })
  const told = await answerTo(applied(), {}, request)
  assert.equal(told.errorCode, 'REQUEST_INVALID')
  assert.ok(!told.body.includes('secret'))
})

test('an unknown authorization refuses the call', async () => {
  assert.equal((await answerTo(applied(), { authorization: () => null })).errorCode, 'REQUEST_INVALID')
})

test('an answer that the runtime would not read does not leave', async () => {
  const told = await answerTo(applied({ [LOCATOR]: { tenantId: 'x'.repeat(1024 * 1024) } }))
  assert.equal(told.errorCode, 'ANSWER_TOO_LARGE')
})
