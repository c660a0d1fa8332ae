import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonValue } from '../../../contract/json-schema/json.ts'
import { lifecycleRequest, LOCATOR } from '../testing/lifecycle-request.ts'
import { sendRequest } from '../testing/send-request.ts'
import {
  applied,
  definePlugin,
  memoryStore,
  notApplied,
  verified,
  type HandlerResult,
  type PluginDefinition,
} from './index.ts'
import type { MemoryTransaction } from './memory-store.ts'

declare module './plugins.ts' {
  // as `plugin-sdk types` writes it
  interface Plugins {
    'license-keeper': {
      'production/crm/MODULE/core': {
        values: {}
        references: {}
        writes: { licenseId: string; plan: 'team' | 'one'; places: { city: string }[]; more: JsonValue }
      }
      'production/crm/MODULE/portal': { values: {}; references: {}; writes: { seats: number } }
    }
  }
}

const CORE = 'production/crm/MODULE/core'
const PORTAL = 'production/crm/MODULE/portal'
const base = { pluginId: 'tenant-provisioner', store: memoryStore(), verify: false } as const

test('the compiler compares what handlers write with the writes of the plugin', async () => {
  definePlugin({
    ...base,
    writes: { tenantId: {} },
    handle: {
      BEFORE_RESOURCES: (call) =>
        call.conclude(() =>
          call.stage === 'AFTER_RESOURCES' ? notApplied() : applied({ [LOCATOR]: { tenantId: 'x' } }),
        ),
    },
  })
  definePlugin({
    ...base,
    writes: { tenantId: {} },
    // @ts-expect-error tenantKey is not in writes
    handle: { BEFORE_RESOURCES: (call) => call.conclude(() => applied({ [LOCATOR]: { tenantKey: 'x' } })) },
  })
  const undeclared = definePlugin({
    ...base,
    log: () => undefined,
    // @ts-expect-error nothing is declared
    handle: { BEFORE_RESOURCES: () => applied({ [LOCATOR]: { tenantId: 'x' } }) },
  })
  // names that the compiler does not know are compared when the response is composed
  const writes: Record<string, Record<string, string>> = { [LOCATOR]: { tenantKey: 'x' } }
  const dynamic = definePlugin({
    ...base,
    log: () => undefined,
    writes: { tenantId: {} },
    handle: { BEFORE_RESOURCES: () => applied(writes) },
  })
  for (const plugin of [undeclared, dynamic])
    assert.equal((await sendRequest(plugin, lifecycleRequest())).errorCode, 'WRITE_NOT_AUTHORIZED')
})

test('the compiler compares what handlers write with the types of the manifest', () => {
  const writes = { licenseId: {}, plan: {}, places: {}, more: {}, seats: {} }
  const keeper = { ...base, pluginId: 'license-keeper', writes } as const
  interface Written {
    licenseId: string
    seats?: number
  }
  const dynamic: Record<string, Written> = {}
  const unknown: Record<string, Record<string, number>> = {}
  const plan = 'team'
  definePlugin({ ...keeper, handle: { BEFORE_RESOURCES: () => applied(dynamic) } })
  definePlugin({ ...keeper, handle: { BEFORE_RESOURCES: () => applied(unknown) } })
  definePlugin({
    ...keeper,
    handle: {
      BEFORE_RESOURCES: (call) =>
        call.conclude(async () => {
          if (call.stage === 'AFTER_RESOURCES') return notApplied()
          const result = verified({
            [CORE]: { plan, places: [{ city: 'Bern' }], more: [1, { deep: [null] }] },
            [PORTAL]: { seats: 7 },
          })
          return call.operation.operationType === 'DETACH' ? applied() : result
        }),
    },
  })
  definePlugin({
    ...keeper,
    // @ts-expect-error licenseId is a string
    handle: { BEFORE_RESOURCES: () => applied({ [CORE]: { licenseId: 5 } }) },
  })
  definePlugin({
    ...keeper,
    // @ts-expect-error there is no such plan
    handle: { BEFORE_RESOURCES: (call) => call.conclude(() => verified({ [CORE]: { plan: 'all' } })) },
  })
  definePlugin({
    ...keeper,
    handle: {
      // @ts-expect-error one of the Modules has a wrong value
      INSTALL: { BEFORE_RESOURCES: () => applied({ [CORE]: { licenseId: 'x' }, [PORTAL]: { seats: 'x' } }) },
    },
  })
  definePlugin({
    ...keeper,
    handle: {
      // @ts-expect-error one of several results is wrong
      BEFORE_RESOURCES: (call) =>
        call.conclude(async () => {
          if (call.stage === 'AFTER_RESOURCES') return call.pluginId === '' ? applied() : notApplied()
          const wrong: Record<string, { licenseId: number }> = {}
          return applied(wrong)
        }),
    },
  })
  // @ts-expect-error not a value of JSON
  assert.equal(applied({ [CORE]: { more: new Date() } }).outcome, 'APPLIED')
})

/** What is printed for a handler in JavaScript, and the code of the response. */
async function mistake(handle: object): Promise<{ errorCode: string | null; printed: string }> {
  const errors: unknown[] = []
  const definition: PluginDefinition<MemoryTransaction> = {
    ...base,
    store: memoryStore(),
    log: () => undefined,
    onError: (error) => errors.push(error),
    handle,
  }
  const { errorCode } = await sendRequest(definePlugin(definition), lifecycleRequest())
  return { errorCode, printed: errors.map(String).join('\n') }
}

test('a handler that returns no result is told what to return', async () => {
  const advice =
    'return the result of call.conclude(…), applied(…), verified(…), notApplied(), failed() or unknown()'
  const forgotten = await mistake({ BEFORE_RESOURCES: () => undefined })
  assert.equal(forgotten.errorCode, 'PLUGIN_INTERNAL_ERROR')
  assert.equal(
    forgotten.printed,
    `TypeError: The handler of INSTALL BEFORE_RESOURCES returned undefined: ${advice}`,
  )
  const text = await mistake({ BEFORE_RESOURCES: () => 'APPLIED' })
  assert.equal(
    text.printed,
    `TypeError: The handler of INSTALL BEFORE_RESOURCES returned a value of type string: ${advice}`,
  )
  const inside = await mistake({
    BEFORE_RESOURCES: (call: { conclude(work: () => void): Promise<HandlerResult> }) =>
      call.conclude(() => undefined),
  })
  assert.match(
    inside.printed,
    /^TypeError: The work of call\.conclude in INSTALL BEFORE_RESOURCES returned undefined/,
  )
})

test('a response that is too large says how large, where and what to do', async () => {
  const plugin = definePlugin({
    ...base,
    store: memoryStore(),
    log: () => undefined,
    writes: { tenantId: {}, report: {} },
    handle: {
      BEFORE_RESOURCES: () => applied({ [LOCATOR]: { tenantId: 'x', report: 'y'.repeat(1_100_000) } }),
    },
  })
  const { errorCode, failure } = await sendRequest(plugin, lifecycleRequest())
  assert.equal(errorCode, 'ANSWER_TOO_LARGE')
  assert.match(
    failure?.message ?? '',
    /^The response of the plugin has 11\d{5} bytes, and at most 1048576 are accepted; the largest value is report of \S+, with 11\d{5} bytes\./,
  )
})
