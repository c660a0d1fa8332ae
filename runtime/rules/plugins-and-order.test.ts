import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { wrapData } from '#contract/protocol/data.ts'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import type { Reply } from '../testing/plugin.ts'
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

// Which plugins are called when, and what plugins see of the writes of others.

let harness: RuleHarness
before(async () => {
  harness = await startRuleHarness()
})
after(() => harness.close())
beforeEach(() => harness.plugin.script(() => ({ outcome: 'APPLIED' })))

const STAGES: Stage[] = ['BEFORE_RESOURCES', 'AFTER_RESOURCES']
const callOrderOf = (operationId: string) =>
  harness.callsOf(operationId).map(({ stage, pluginId }) => `${stage} ${pluginId}`)
const bothStages = (...pluginIds: string[]) =>
  STAGES.flatMap((stage) => pluginIds.map((id) => `${stage} ${id}`))

describe('plugins', () => {
  const pluginIds = ['one', 'two', 'three']
  const bundle = bundleOf('ordered', {
    resources: [moduleOf('main', { name: TEXT })],
    // the order of neither the manifest nor the names
    plugins: [
      bindingOf('two', 20, { main: { reads: ['name'] } }),
      bindingOf('three', 30, { main: {} }),
      bindingOf('one', -5, { main: {} }),
    ],
  })
  before(async () => {
    await harness.register(...pluginIds)
    await harness.publish(bundle, { ...bundle, version: '2.0.0' })
  })

  it('are called in ascending order in INSTALL, CONFIGURE and UPGRADE, descending in DETACH, in both stages', async () => {
    const scope = harness.newScope()
    const { bundleInstallId, operationId } = await harness.install(bundle, { scope })
    await harness.succeeds(operationId)
    assert.deepEqual(callOrderOf(operationId), bothStages(...pluginIds))
    const [configure = ''] = await harness.saved(scope, {
      [locatorOf(bundle, 'main')]: wrapped({ name: 'a' }),
    })
    assert.deepEqual(callOrderOf(configure), bothStages(...pluginIds))
    const upgrade = await harness.upgrade(bundleInstallId, { targetVersion: '2.0.0' })
    await harness.succeeds(upgrade)
    assert.deepEqual(callOrderOf(upgrade), bothStages(...pluginIds))
    const detach = await harness.detach(bundleInstallId)
    const { executionSequence } = await harness.succeeds(detach)
    assert.deepEqual(callOrderOf(detach), bothStages('three', 'two', 'one'))
    assert.equal(executionSequence, 4)
    const sequences = [operationId, configure, upgrade, detach].map((id) => [
      ...new Set(harness.callsOf(id).map(({ request }) => request.executionSequence)),
    ])
    assert.deepEqual(sequences, [[1], [2], [3], [4]])
  })

  it('with the same order are called concurrently, and the next order waits for both', async () => {
    const twins = bundleOf('twins', {
      resources: [moduleOf('main', { name: TEXT })],
      plugins: [
        bindingOf('left', 10, { main: {} }),
        bindingOf('right', 10, { main: {} }),
        bindingOf('last', 11, { main: {} }),
      ],
    })
    await harness.register('left', 'right', 'last')
    await harness.publish(twins)
    // each answers only after the other was called too: sequential calls would never end
    const arrivals = new Map<string, PromiseWithResolvers<void>>()
    const meeting = (key: string) => {
      const found = arrivals.get(key) ?? Promise.withResolvers<void>()
      arrivals.set(key, found)
      return found
    }
    const answered: string[] = []
    harness.plugin.script(async ({ stage, pluginId }) => {
      const other = { left: 'right', right: 'left' }[pluginId]
      if (other === undefined) {
        assert.deepEqual(answered.splice(0).toSorted(), ['left', 'right'])
        return { outcome: 'APPLIED' }
      }
      meeting(`${stage} ${pluginId}`).resolve()
      await meeting(`${stage} ${other}`).promise
      answered.push(pluginId)
      return { outcome: 'APPLIED' }
    })
    const { operationId } = await harness.install(twins, { scope: harness.newScope() })
    await harness.succeeds(operationId)
    assert.equal(callOrderOf(operationId).length, 6)
    assert.deepEqual(
      callOrderOf(operationId).filter((call) => call.endsWith('last')),
      bothStages('last'),
    )
  })

  it('are not called after the first definite failure, and the claim stays', async () => {
    harness.plugin.script(({ pluginId }) => ({ outcome: pluginId === 'two' ? 'FAILED' : 'APPLIED' }))
    const scope = harness.newScope()
    const { bundleInstallId, operationId } = await harness.install(bundle, { scope })
    await harness.fails(operationId, 'PLUGIN_REPORTED_FAILURE')
    assert.deepEqual(callOrderOf(operationId), ['BEFORE_RESOURCES one', 'BEFORE_RESOURCES two'])
    const { claim, state } = await harness.installation(bundleInstallId)
    assert.deepEqual([claim?.operationId, claim?.state, state], [operationId, 'FAILED', 'NOT_INSTALLED'])
  })
})

describe('a write of a plugin', () => {
  const writer = bundleOf('writing', {
    resources: [moduleOf('main', { name: TEXT, tenant: TEXT, url: TEXT })],
    plugins: [
      bindingOf('maker', 1, { main: { reads: ['name', 'tenant'], writes: ['tenant'] } }),
      bindingOf('user', 2, { main: { reads: ['tenant', 'url'], writes: ['url'] } }),
    ],
  })
  const MAIN = locatorOf(writer, 'main')
  before(async () => {
    await harness.register('maker', 'user')
    await harness.publish(writer)
  })

  it('in the first stage is visible to later orders, the resources and the second stage; then it is configuration', async () => {
    const inLedger: unknown[] = []
    const scope = harness.newScope()
    harness.plugin.script(async ({ pluginId, stage, request }) => {
      const { bundleInstallId } = request.installation
      inLedger.push((await harness.installation(bundleInstallId)).resources[0]?.properties)
      const property = pluginId === 'maker' ? 'tenant' : 'url'
      const value = `${property} of ${stage}`
      return { outcome: 'APPLIED', resources: { [MAIN]: wrapped({ [property]: value }) } }
    })
    const { operationId, bundleInstallId } = await harness.install(writer, {
      scope,
      properties: { [MAIN]: wrapped({ name: 'Acme' }) },
    })
    await harness.succeeds(operationId)

    const first = { tenant: 'tenant of BEFORE_RESOURCES', url: 'url of BEFORE_RESOURCES' }
    const second = { tenant: 'tenant of AFTER_RESOURCES', url: 'url of AFTER_RESOURCES' }
    const seen = harness.callsOf(operationId).map(({ request }) => request.resources[MAIN]?.properties)
    assert.deepEqual(seen, [
      wrapped({ name: 'Acme' }),
      wrapped({ tenant: first.tenant }),
      wrapped({ name: 'Acme', tenant: first.tenant }),
      wrapped({ tenant: second.tenant, url: first.url }),
    ])
    const applied = wrapped({ name: 'Acme', ...first })
    assert.deepEqual(inLedger, [undefined, undefined, applied, applied])
    const whole = wrapped({ name: 'Acme', ...second })
    assert.deepEqual((await harness.installation(bundleInstallId)).resources[0]?.properties, whole)
    assert.deepEqual((await harness.configuration(scope)).resources[MAIN]?.properties, whole)
  })

  it('is not added to the bytes of a repeat or of another run', async () => {
    const beside = bundleOf('beside', {
      resources: [moduleOf('main', { name: TEXT, tenant: TEXT })],
      plugins: [
        bindingOf('maker', 1, { main: { writes: ['tenant'] } }),
        bindingOf('user', 1, { main: { reads: ['name', 'tenant'] } }),
      ],
    })
    const locator = locatorOf(beside, 'main')
    await harness.publish(beside)
    const replies: Reply[] = [{ outcome: 'UNKNOWN' }, { outcome: 'FAILED' }, { outcome: 'APPLIED' }]
    harness.plugin.script(({ pluginId, stage }) => {
      if (pluginId === 'maker')
        return { outcome: 'APPLIED', resources: { [locator]: wrapped({ tenant: 't-1' }) } }
      if (stage === 'AFTER_RESOURCES') return { outcome: 'APPLIED' }
      return replies.shift() ?? { outcome: 'FAILED' }
    })
    const { operationId } = await harness.install(beside, { scope: harness.newScope() })
    const failed = await harness.fails(operationId, 'PLUGIN_REPORTED_FAILURE')
    await harness.retry(failed)
    await harness.succeeds(operationId)
    const bodies = harness.callsOf(operationId).filter(({ pluginId }) => pluginId === 'user')
    assert.deepEqual(
      bodies.map(({ stage }) => stage),
      ['BEFORE_RESOURCES', 'BEFORE_RESOURCES', 'BEFORE_RESOURCES', 'AFTER_RESOURCES'],
    )
    assert.equal(new Set(bodies.slice(0, 3).map(({ body }) => body)).size, 1)
    // one trace for the operation, one span for each attempt
    const spans = bodies.map(({ traceparent }) => traceparent)
    assert.equal(new Set(spans).size, bodies.length)
    const trace = new RegExp(`^00-${operationId.replaceAll('-', '')}-[0-9a-f]{16}-01$`)
    for (const span of spans) assert.match(span ?? '', trace)
    const seen = bodies.map(({ request }) => request.resources[locator]?.properties['tenant'])
    assert.deepEqual(seen, [undefined, undefined, undefined, wrapData('t-1')])
  })

  it('is not configuration before the operation succeeds, and no person may write the property', async () => {
    const scope = harness.newScope()
    harness.plugin.script(({ pluginId }) =>
      pluginId === 'maker'
        ? { outcome: 'APPLIED', resources: { [MAIN]: wrapped({ tenant: 't-1' }) } }
        : { outcome: 'FAILED' },
    )
    const { operationId } = await harness.install(writer, { scope })
    const failed = await harness.fails(operationId, 'PLUGIN_REPORTED_FAILURE')
    assert.deepEqual((await harness.configuration(scope)).resources, {})

    harness.plugin.script(() => ({ outcome: 'APPLIED' }))
    await harness.retry(failed)
    await harness.succeeds(operationId)
    // the successful call was not repeated, and its writes stay
    assert.equal(harness.callsOf(operationId).filter(({ pluginId }) => pluginId === 'maker').length, 2)
    const { snapshotVersion, resources } = await harness.configuration(scope)
    assert.deepEqual(resources[MAIN]?.properties, wrapped({ tenant: 't-1' }))
    assert.deepEqual(resources[MAIN]?.writtenBy, { tenant: 'maker', url: 'user' })
    const refused = await harness.save(scope, { [MAIN]: wrapped({ tenant: 't-2' }) })
    assert.equal(refused.errorCode, 'PROPERTY_INVALID')
    assert.equal((await harness.configuration(scope)).snapshotVersion, snapshotVersion)
  })
})
