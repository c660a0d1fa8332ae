import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { sendRequest } from '../testing/send-request.ts'
import { lifecycleRequest, type RequestOptions } from '../testing/lifecycle-request.ts'
import { definePlugin } from './define-plugin.ts'
import { applied, failed, type HandlerResult } from './result.ts'
import { memoryStore } from './memory-store.ts'
import type { LifecycleCall } from './call.ts'
import { type MemoryTransaction } from './memory-store.ts'

type Call = LifecycleCall<MemoryTransaction>

function pluginOf(t: TestContext, perform: (call: Call) => HandlerResult | Promise<HandlerResult>) {
  const store = memoryStore()
  t.after(() => store.close())
  return definePlugin({
    pluginId: 'tenant-provisioner',
    verify: false,
    store,
    onError: () => {},
    handle: { BEFORE_RESOURCES: perform, AFTER_RESOURCES: perform },
  })
}

const operation = (executionSequence: number, more: RequestOptions = {}) =>
  lifecycleRequest({
    operationId: `operation-${executionSequence}`,
    operationType: executionSequence === 1 ? 'INSTALL' : 'CONFIGURE',
    executionSequence,
    ...more,
  })

test('an earlier operation that arrives late is rejected and does nothing', async (t) => {
  let runs = 0
  const plugin = pluginOf(t, () => (runs++, applied()))
  assert.equal((await sendRequest(plugin, operation(7))).response?.outcome, 'APPLIED')
  const late = await sendRequest(plugin, operation(6))
  assert.equal(late.errorCode, 'EXECUTION_SEQUENCE_STALE')
  assert.equal(late.failure?.retryable, false)
  assert.equal(runs, 1)
})

test('sequences are compared as numbers', async (t) => {
  const plugin = pluginOf(t, () => applied())
  await sendRequest(plugin, operation(9))
  assert.equal((await sendRequest(plugin, operation(10))).response?.outcome, 'APPLIED')
  assert.equal(
    (await sendRequest(plugin, operation(9, { stage: 'AFTER_RESOURCES' }))).errorCode,
    'EXECUTION_SEQUENCE_STALE',
  )
  assert.equal((await sendRequest(plugin, operation(2 ** 53 - 1))).response?.outcome, 'APPLIED')
})

test('another operation with the same sequence is rejected', async (t) => {
  const plugin = pluginOf(t, () => applied())
  await sendRequest(plugin, operation(3))
  const other = await sendRequest(plugin, operation(3, { operationId: 'operation-x' }))
  assert.equal(other.errorCode, 'EXECUTION_SEQUENCE_STALE')
})

test('a higher sequence also fences if its own call failed', async (t) => {
  const plugin = pluginOf(t, (call) => (call.executionSequence === 7 ? failed() : applied()))
  assert.equal((await sendRequest(plugin, operation(7))).response?.outcome, 'FAILED')
  assert.equal((await sendRequest(plugin, operation(6))).errorCode, 'EXECUTION_SEQUENCE_STALE')
})

test('a call that is paused during a later operation cannot commit', async (t) => {
  const started = Promise.withResolvers<void>()
  const wake = Promise.withResolvers<void>()
  const plugin = pluginOf(t, async (call) => {
    if (call.executionSequence === 6) {
      started.resolve()
      await wake.promise
    }
    return call.conclude(() => applied())
  })
  const sleeper = sendRequest(plugin, operation(6))
  await started.promise
  assert.equal((await sendRequest(plugin, operation(7))).response?.outcome, 'APPLIED')
  wake.resolve()
  assert.equal((await sleeper).errorCode, 'EXECUTION_SEQUENCE_STALE')
})

test('installations do not fence each other', async (t) => {
  const plugin = pluginOf(t, () => applied())
  await sendRequest(plugin, operation(7))
  const other = operation(1, { bundleInstallId: 'install-2' })
  assert.equal((await sendRequest(plugin, other)).response?.outcome, 'APPLIED')
})

test('after a DETACH a delayed call is stale, a CONFIGURE is rejected, and an INSTALL is allowed', async (t) => {
  const plugin = pluginOf(t, () => applied())
  for (const stage of ['BEFORE_RESOURCES', 'AFTER_RESOURCES'] as const)
    assert.equal(
      (await sendRequest(plugin, operation(5, { operationType: 'DETACH', stage }))).response?.outcome,
      'APPLIED',
    )
  assert.equal((await sendRequest(plugin, operation(4))).errorCode, 'EXECUTION_SEQUENCE_STALE')
  assert.equal((await sendRequest(plugin, operation(6))).errorCode, 'INSTALLATION_NOT_ACTIVE')
  const again = await sendRequest(
    plugin,
    operation(7, { operationType: 'DETACH', operationId: 'detach-again' }),
  )
  assert.equal(again.response?.outcome, 'APPLIED')
  const install = await sendRequest(plugin, operation(8, { operationType: 'INSTALL' }))
  assert.equal(install.response?.outcome, 'APPLIED')
})
