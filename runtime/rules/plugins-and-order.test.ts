import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { wrapData } from '#contract/protocol/data.ts'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import type { Reply } from '../testing/plugin.ts'
import { bindingOf, bundleOf, locatorOf, moduleOf, ruleWorld, TEXT, wrapped } from '../testing/rules.ts'
import type { RuleWorld } from '../testing/rules.ts'

// Who is called when, and what plugins see of what others wrote.

let world: RuleWorld
before(async () => {
  world = await ruleWorld()
})
after(() => world.close())
beforeEach(() => world.plugin.script(() => ({ outcome: 'APPLIED' })))

const STAGES: Stage[] = ['BEFORE_RESOURCES', 'AFTER_RESOURCES']
const wayOf = (operationId: string) =>
  world.callsOf(operationId).map(({ stage, pluginId }) => `${stage} ${pluginId}`)
const bothStages = (...pluginIds: string[]) =>
  STAGES.flatMap((stage) => pluginIds.map((id) => `${stage} ${id}`))

describe('plugins', () => {
  const pluginIds = ['one', 'two', 'three']
  const bundle = bundleOf('ordered', {
    resources: [moduleOf('main', { name: TEXT })],
    // neither the order of the manifest nor that of the names
    plugins: [
      bindingOf('two', 20, { main: { reads: ['name'] } }),
      bindingOf('three', 30, { main: {} }),
      bindingOf('one', -5, { main: {} }),
    ],
  })
  before(async () => {
    await world.register(...pluginIds)
    await world.publish(bundle, { ...bundle, version: '2.0.0' })
  })

  it('are called in ascending order in INSTALL, CONFIGURE and UPGRADE, descending in DETACH, in both stages', async () => {
    const scope = world.newScope()
    const { bundleInstallId, operationId } = await world.install(bundle, { scope })
    await world.endsWell(operationId)
    assert.deepEqual(wayOf(operationId), bothStages(...pluginIds))
    const [configure = ''] = await world.saved(scope, { [locatorOf(bundle, 'main')]: wrapped({ name: 'a' }) })
    assert.deepEqual(wayOf(configure), bothStages(...pluginIds))
    const upgrade = await world.upgrade(bundleInstallId, { targetVersion: '2.0.0' })
    await world.endsWell(upgrade)
    assert.deepEqual(wayOf(upgrade), bothStages(...pluginIds))
    const detach = await world.detach(bundleInstallId)
    const { executionSequence } = await world.endsWell(detach)
    assert.deepEqual(wayOf(detach), bothStages('three', 'two', 'one'))
    assert.equal(executionSequence, 4)
    const sequences = [operationId, configure, upgrade, detach].map((id) => [
      ...new Set(world.callsOf(id).map(({ request }) => request.executionSequence)),
    ])
    assert.deepEqual(sequences, [[1], [2], [3], [4]])
  })

  it('of an equal order are called together, and the next order waits for both', async () => {
    const twins = bundleOf('twins', {
      resources: [moduleOf('main', { name: TEXT })],
      plugins: [
        bindingOf('left', 10, { main: {} }),
        bindingOf('right', 10, { main: {} }),
        bindingOf('last', 11, { main: {} }),
      ],
    })
    await world.register('left', 'right', 'last')
    await world.publish(twins)
    // each answers only when the other has been asked too: one after the other they would never end
    const asked = new Map<string, PromiseWithResolvers<void>>()
    const meeting = (key: string) => {
      const found = asked.get(key) ?? Promise.withResolvers<void>()
      asked.set(key, found)
      return found
    }
    const answered: string[] = []
    world.plugin.script(async ({ stage, pluginId }) => {
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
    const { operationId } = await world.install(twins, { scope: world.newScope() })
    await world.endsWell(operationId)
    assert.equal(wayOf(operationId).length, 6)
    assert.deepEqual(
      wayOf(operationId).filter((call) => call.endsWith('last')),
      bothStages('last'),
    )
  })

  it('are called no more after the first definite failure, and the claim stays', async () => {
    world.plugin.script(({ pluginId }) => ({ outcome: pluginId === 'two' ? 'FAILED' : 'APPLIED' }))
    const scope = world.newScope()
    const { bundleInstallId, operationId } = await world.install(bundle, { scope })
    await world.fails(operationId, 'PLUGIN_REPORTED_FAILURE')
    assert.deepEqual(wayOf(operationId), ['BEFORE_RESOURCES one', 'BEFORE_RESOURCES two'])
    const { claim, state } = await world.installation(bundleInstallId)
    assert.deepEqual([claim?.operationId, claim?.state, state], [operationId, 'FAILED', 'NOT_INSTALLED'])
  })
})

describe('what a plugin writes', () => {
  const writer = bundleOf('writing', {
    resources: [moduleOf('main', { name: TEXT, tenant: TEXT, url: TEXT })],
    plugins: [
      bindingOf('maker', 1, { main: { reads: ['name', 'tenant'], writes: ['tenant'] } }),
      bindingOf('user', 2, { main: { reads: ['tenant', 'url'], writes: ['url'] } }),
    ],
  })
  const MAIN = locatorOf(writer, 'main')
  before(async () => {
    await world.register('maker', 'user')
    await world.publish(writer)
  })

  it('in the first stage is seen by later orders, by the resources and by the second stage; then it is configuration', async () => {
    const inLedger: unknown[] = []
    const scope = world.newScope()
    world.plugin.script(async ({ pluginId, stage, request }) => {
      const { bundleInstallId } = request.installation
      inLedger.push((await world.installation(bundleInstallId)).resources[0]?.properties)
      const property = pluginId === 'maker' ? 'tenant' : 'url'
      const value = `${property} of ${stage}`
      return { outcome: 'APPLIED', resources: { [MAIN]: wrapped({ [property]: value }) } }
    })
    const { operationId, bundleInstallId } = await world.install(writer, {
      scope,
      properties: { [MAIN]: wrapped({ name: 'Acme' }) },
    })
    await world.endsWell(operationId)

    const first = { tenant: 'tenant of BEFORE_RESOURCES', url: 'url of BEFORE_RESOURCES' }
    const second = { tenant: 'tenant of AFTER_RESOURCES', url: 'url of AFTER_RESOURCES' }
    const seen = world.callsOf(operationId).map(({ request }) => request.resources[MAIN]?.properties)
    assert.deepEqual(seen, [
      wrapped({ name: 'Acme' }),
      wrapped({ tenant: first.tenant }),
      wrapped({ name: 'Acme', tenant: first.tenant }),
      wrapped({ tenant: second.tenant, url: first.url }),
    ])
    const applied = wrapped({ name: 'Acme', ...first })
    assert.deepEqual(inLedger, [undefined, undefined, applied, applied])
    const whole = wrapped({ name: 'Acme', ...second })
    assert.deepEqual((await world.installation(bundleInstallId)).resources[0]?.properties, whole)
    assert.deepEqual((await world.configuration(scope)).resources[MAIN]?.properties, whole)
  })

  it('meanwhile is not in the bytes of a repeat, nor in those of another run', async () => {
    const beside = bundleOf('beside', {
      resources: [moduleOf('main', { name: TEXT, tenant: TEXT })],
      plugins: [
        bindingOf('maker', 1, { main: { writes: ['tenant'] } }),
        bindingOf('user', 1, { main: { reads: ['name', 'tenant'] } }),
      ],
    })
    const locator = locatorOf(beside, 'main')
    await world.publish(beside)
    const replies: Reply[] = [{ outcome: 'UNKNOWN' }, { outcome: 'FAILED' }, { outcome: 'APPLIED' }]
    world.plugin.script(({ pluginId, stage }) => {
      if (pluginId === 'maker')
        return { outcome: 'APPLIED', resources: { [locator]: wrapped({ tenant: 't-1' }) } }
      if (stage === 'AFTER_RESOURCES') return { outcome: 'APPLIED' }
      return replies.shift() ?? { outcome: 'FAILED' }
    })
    const { operationId } = await world.install(beside, { scope: world.newScope() })
    const failed = await world.fails(operationId, 'PLUGIN_REPORTED_FAILURE')
    await world.retry(failed)
    await world.endsWell(operationId)
    const bodies = world.callsOf(operationId).filter(({ pluginId }) => pluginId === 'user')
    assert.deepEqual(
      bodies.map(({ stage }) => stage),
      ['BEFORE_RESOURCES', 'BEFORE_RESOURCES', 'BEFORE_RESOURCES', 'AFTER_RESOURCES'],
    )
    assert.equal(new Set(bodies.slice(0, 3).map(({ body }) => body)).size, 1)
    const seen = bodies.map(({ request }) => request.resources[locator]?.properties['tenant'])
    assert.deepEqual(seen, [undefined, undefined, undefined, wrapData('t-1')])
  })

  it('is not configuration before the operation has succeeded, and no person may write it', async () => {
    const scope = world.newScope()
    world.plugin.script(({ pluginId }) =>
      pluginId === 'maker'
        ? { outcome: 'APPLIED', resources: { [MAIN]: wrapped({ tenant: 't-1' }) } }
        : { outcome: 'FAILED' },
    )
    const { operationId } = await world.install(writer, { scope })
    const failed = await world.fails(operationId, 'PLUGIN_REPORTED_FAILURE')
    assert.deepEqual((await world.configuration(scope)).resources, {})

    world.plugin.script(() => ({ outcome: 'APPLIED' }))
    await world.retry(failed)
    await world.endsWell(operationId)
    // the call that ended well was not made again, and what it wrote stands
    assert.equal(world.callsOf(operationId).filter(({ pluginId }) => pluginId === 'maker').length, 2)
    const { snapshotVersion, resources } = await world.configuration(scope)
    assert.deepEqual(resources[MAIN]?.properties, wrapped({ tenant: 't-1' }))
    assert.deepEqual(resources[MAIN]?.writtenBy, { tenant: 'maker', url: 'user' })
    const refused = await world.save(scope, { [MAIN]: wrapped({ tenant: 't-2' }) })
    assert.equal(refused.errorCode, 'PROPERTY_INVALID')
    assert.equal((await world.configuration(scope)).snapshotVersion, snapshotVersion)
  })
})
