import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requireHandlers } from './handlers.ts'
import {
  definePlugin,
  memoryStore,
  notApplied,
  type LifecycleCall,
  type MemoryTransaction,
  type Reference,
} from './index.ts'

const base = { pluginId: 'tenant-provisioner', store: memoryStore(), verify: false } as const
const handler = () => notApplied()

test('a plugin whose handlers would never be called does not start', () => {
  const before = { BEFORE_RESOURCES: handler }
  // @ts-expect-error one handler for each stage, or one for each operation type and stage
  const both = () => definePlugin({ ...base, handle: { ...before, DETACH: before } })
  assert.throws(both, /handle has BEFORE_RESOURCES and DETACH: .*not both/)
  for (const [handle, message] of [
    [
      { INSTALL: { BEFORE_RESOURCE: handler } },
      /^handle\.INSTALL\.BEFORE_RESOURCE would never be called: use one of BEFORE_RESOURCES, /,
    ],
    [{ BEFORE_RESOURCES: handler, AFTER: handler }, /^handle\.AFTER would never be called/],
    [{ INSTALL: {}, DELETE: {} }, /^handle\.DELETE would never be called: use one of INSTALL, .*DETACH/],
    [{ INSTALL: handler }, /^handle\.INSTALL must be an object with handlers/],
    [{ DETACH: { AFTER_RESOURCES: 'remove' } }, /^handle\.DETACH\.AFTER_RESOURCES must be a function/],
    [undefined, /^handle must be an object with handlers/],
  ] as const)
    assert.throws(() => requireHandlers(handle), { name: 'TypeError', message })
  for (const handle of [
    {},
    { AFTER_RESOURCES: handler, BEFORE_RESOURCES: undefined },
    { INSTALL: { BEFORE_RESOURCES: handler }, DETACH: undefined, CONFIGURE: null },
  ])
    requireHandlers(handle)
})

test('the compiler compares what a handler resolves with the references of the plugin', () => {
  type Core = { locator: 'production/crm/MODULE/core'; references: { mail?: Reference } }
  type Call = LifecycleCall<MemoryTransaction, Core>
  const handlers = [
    (call: Call) => call.resolve('production/crm/MODULE/core', 'mail'),
    // @ts-expect-error there is no such reference
    (call: Call) => call.resolve('production/crm/MODULE/core', 'mall'),
    // @ts-expect-error there is no such Module
    (call: Call) => call.resolve('production/crm/MODULE/cores', 'mail'),
    // without types of the manifest, any name
    (call: LifecycleCall<MemoryTransaction>) => call.resolve('production/crm/MODULE/core', 'gateway'),
  ]
  assert.equal(handlers.length, 4)
})
