import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import {
  applied,
  definePlugin,
  eventOutbox,
  memoryStore,
  notApplied,
  PluginFailure,
  verified,
} from './index.ts'
import { startTestPlatform } from './testing.ts'

const CORE = 'production/crm-suite/MODULE/crm-core'
const mail = { '@type': 'ServiceReference', serviceId: 'mail' } as const

/** A plugin that makes a tenant, greets it by a service and publishes an event. */
async function tenants(t: TestContext) {
  const platform = await startTestPlatform({
    pluginId: 'tenants',
    modules: {
      [CORE]: { values: { name: 'Northwind', seats: 7 }, references: { mail }, writes: ['tenantId'] },
    },
    services: { mail: { tenantCreated: null, seatsChanged: null } },
  })
  t.after(() => platform.close())
  const store = memoryStore()
  const outbox = eventOutbox({ store, ...platform.settings })
  let runs = 0
  const plugin = definePlugin({
    pluginId: 'tenants',
    store,
    ...platform.settings,
    log: () => undefined,
    writes: { tenantId: {} },
    handle: {
      BEFORE_RESOURCES: (call) =>
        call.conclude((tx) => {
          runs++
          const id = call.installation.bundleInstallId
          if (call.operation.operationType === 'DETACH') return tx.delete(id) ? applied() : notApplied()
          const seats = call.resources[0]?.values['seats'] ?? null
          if (Number(seats) > 100)
            throw new PluginFailure({
              errorCode: 'SEATS_EXHAUSTED',
              message: 'No seats are left',
              retryable: false,
            })
          tx.set(id, seats)
          return applied({ [CORE]: { tenantId: `t-${id.slice(0, 4)}` } })
        }),
      AFTER_RESOURCES: async (call) => {
        if (call.operation.operationType !== 'INSTALL') return notApplied()
        await call.resolve(CORE, 'mail')
        return call.conclude(async (tx) => {
          const { installation } = call
          await outbox.publish(tx, {
            installation,
            resource: CORE,
            propertyKey: 'mail',
            method: 'tenantCreated',
            payload: { seats: 7 },
          })
          return verified()
        })
      },
    },
  })
  return { platform, store, outbox, plugin, runs: () => runs }
}

test('both stages run with tokens and references, and a repeat is answered from memory', async (t) => {
  const { platform, plugin, runs } = await tenants(t)
  const installation = platform.installation(plugin)
  const [before, after] = await installation.run('INSTALL')
  assert.equal(before?.outcome, 'APPLIED')
  assert.deepEqual(before.writes, { [CORE]: { tenantId: `t-${installation.bundleInstallId.slice(0, 4)}` } })
  assert.equal(after?.outcome, 'VERIFIED')
  assert.equal((await before.repeat()).body, before.body)
  assert.equal(runs(), 1)
  const [detached] = await installation.run('DETACH')
  assert.equal(detached?.outcome, 'APPLIED')
})

test('a failure has its code, and the next stage is not called', async (t) => {
  const { platform, plugin } = await tenants(t)
  const installation = platform.installation(plugin)
  await installation.run('INSTALL')
  const results = await installation.run('CONFIGURE', { values: { [CORE]: { seats: 9_000 } } })
  assert.equal(results.length, 1)
  assert.equal(results[0]?.failure?.errorCode, 'SEATS_EXHAUSTED')
  const late = await installation.call('CONFIGURE', 'BEFORE_RESOURCES', {
    values: { [CORE]: { seats: 9 } },
    executionSequence: 1,
  })
  assert.equal(late.failure?.errorCode, 'EXECUTION_SEQUENCE_STALE')
})

test('a platform that is down leads to a failure to be retried, and the repeat succeeds', async (t) => {
  const { platform, plugin } = await tenants(t)
  const installation = platform.installation(plugin)
  await installation.call('INSTALL', 'BEFORE_RESOURCES')
  platform.setDown(true)
  const down = await installation.call('INSTALL', 'AFTER_RESOURCES')
  assert.equal(down.failure?.retryable, true)
  platform.setDown(false)
  assert.equal((await down.repeat()).outcome, 'VERIFIED')
})

test('events are collected, and the clock skips to the next attempt', async (t) => {
  const { platform, plugin, outbox } = await tenants(t)
  await platform.installation(plugin).run('INSTALL')
  platform.setDown(true)
  await outbox.deliverDue()
  platform.setDown(false)
  assert.equal(await outbox.deliverDue(), 0)
  platform.skip(60_000)
  assert.equal(await outbox.deliverDue(), 1)
  const [event] = platform.serviceCalls
  assert.equal(event?.method, 'tenantCreated')
  assert.deepEqual(event.payload, { seats: 7 })
  assert.ok(event.eventId !== null && event.idempotencyKey !== null)
})
