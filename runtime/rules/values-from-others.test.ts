import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { JsonObject } from '#contract/json-schema/json.ts'
import {
  bindingOf,
  bundleOf,
  locatorOf,
  moduleOf,
  startRuleHarness,
  TEXT,
  wrapped,
} from '../testing/rules.ts'
import type { RuleHarness } from '../testing/rules.ts'
import type { Reply, Script } from '../testing/plugin.ts'

// A plugin fails over a value that another plugin of the same operation wrote, or did not write. A retry sends the same
// bytes, so it cannot help (docs/runtime-api.md#next-step).

const shop = bundleOf('shop', {
  resources: [moduleOf('main', { name: TEXT, tenantId: TEXT, note: { ...TEXT, required: false } })],
  plugins: [
    bindingOf('registrar', 1, { main: { reads: ['name'], writes: ['tenantId'] } }),
    bindingOf('prices', 2, { main: { reads: ['name', 'tenantId'] } }),
    bindingOf('news', 3, { main: { reads: ['name'] } }),
  ],
})
const MAIN = locatorOf(shop, 'main')
const writing = (tenantId: string): Reply => ({
  outcome: 'APPLIED',
  resources: { [MAIN]: wrapped({ tenantId }) } as unknown as JsonObject,
})
const refused = (more: JsonObject = {}): Reply => ({
  errorCode: 'LOOKUP_FAILED',
  data: { message: 'The price system has no such tenant.', retryable: false, ...more },
})

let harness: RuleHarness
before(async () => {
  harness = await startRuleHarness()
  await harness.register('registrar', 'prices', 'news')
  await harness.publish(shop)
})
after(() => harness.close())
beforeEach(() => harness.plugin.script(() => ({ outcome: 'APPLIED' })))

/** Installs the bundle with the plugins as scripted, and returns the failed operation. */
async function failsWith(script: Script) {
  harness.plugin.script(script)
  const { operationId } = await harness.install(shop, {
    scope: harness.newScope(),
    properties: { [MAIN]: wrapped({ name: 'Shop' }) },
  })
  return harness.fails(operationId, 'LOOKUP_FAILED')
}

describe('a retry of a call that reads what another plugin wrote', () => {
  it('cannot help if the plugin says that the same request cannot succeed', async () => {
    const failed = await failsWith(({ pluginId }) =>
      pluginId === 'registrar' ? writing('shop-undefined') : refused(),
    )
    assert.deepEqual([failed.failure?.readsWrites, failed.retryHelps], [true, 'NEVER'])
    assert.deepEqual([failed.nextStep.actor, failed.nextStep.action], ['SUPPORT', 'CHECK_VALUES'])

    // a batch leaves it out and says why; a person can still retry it alone
    const batch = { action: 'RETRY', title: 'Retry', targets: [failed.operationId] }
    const planned = await harness.ok('/batches/plan', { method: 'POST', body: batch })
    const [item] = planned['items'] as { problems: { errorCode: string; parameters: JsonObject }[] }[]
    assert.deepEqual(
      item?.problems.map(({ errorCode, parameters }) => [errorCode, parameters['reason']]),
      [['OPERATION_NOT_RETRYABLE', 'retryCannotHelp']],
    )
    harness.plugin.script(() => ({ outcome: 'APPLIED' }))
    await harness.retry(failed)
    const ended = await harness.succeeds(failed.operationId)
    assert.equal(ended.retryHelps, null)
  })

  it('cannot help if the value may have been in a lost response', async () => {
    let isLost = false
    const failed = await failsWith(({ pluginId }) => {
      if (pluginId !== 'registrar') return refused()
      if (isLost) return { outcome: 'NOT_APPLIED' }
      isLost = true
      return 'reset'
    })
    assert.equal(failed.retryHelps, 'NEVER')
  })

  it('can help after a change if the failure names neither the property nor its value', async () => {
    const failed = await failsWith(({ pluginId }) =>
      pluginId === 'registrar' ? writing('t-1') : refused({ message: 'The pool has no licenses left.' }),
    )
    assert.deepEqual([failed.failure?.readsWrites, failed.retryHelps], [undefined, 'AFTER_CHANGE'])
    assert.equal(failed.nextStep.actor, 'PLUGIN_OWNER')
  })

  it('cannot help if the failure quotes the value', async () => {
    const failed = await failsWith(({ pluginId }) =>
      pluginId === 'registrar' ? writing('shop-7') : refused({ message: '没有“shop-7”。' }),
    )
    assert.equal(failed.retryHelps, 'NEVER')
  })

  it('can help after a change if the plugin got another endpoint while the operation ran', async () => {
    let hasMoved = false
    const failed = await failsWith(async ({ pluginId }) => {
      if (pluginId === 'registrar') return writing('shop-undefined')
      if (hasMoved) return refused()
      hasMoved = true
      await harness.registerWith('prices', { endpoint: harness.plugin.endpoint('elsewhere') })
      return 'reset'
    })
    await harness.register('prices')
    assert.deepEqual([failed.failure?.readsWrites, failed.retryHelps], [undefined, 'AFTER_CHANGE'])
  })

  it('can help after a change if the failure comes from behind the plugin and ends in this platform', async () => {
    const failed = await failsWith(({ pluginId }) =>
      pluginId === 'registrar' ? writing('t-1') : refused({ errorPath: ['prices', 'module-plugin-manager'] }),
    )
    assert.notEqual(failed.retryHelps, 'NEVER')
  })

  it('can help after a change if the call does not read the value', async () => {
    const failed = await failsWith(({ pluginId, stage }) =>
      pluginId === 'news'
        ? refused()
        : pluginId === 'registrar' && stage === 'BEFORE_RESOURCES'
          ? writing('t-1')
          : { outcome: 'APPLIED' },
    )
    assert.deepEqual([failed.call?.pluginId, failed.retryHelps], ['news', 'AFTER_CHANGE'])
  })
})
