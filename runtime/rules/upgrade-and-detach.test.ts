import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { wrapData } from '#contract/protocol/data.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import type { OperationDetail } from '#contract/runtime-api/operations.ts'
import {
  bindingOf,
  bundleOf,
  locatorOf,
  moduleOf,
  placeOf,
  ruleWorld,
  TEXT,
  wrapped,
} from '../testing/rules.ts'
import type { RuleWorld } from '../testing/rules.ts'

// From one version to another and away: what is added, changed, removed, brought, taken over and copied.

const text = TEXT
const secret = { ...text, isSensitive: true }
const one = bundleOf('versioned', {
  resources: [
    moduleOf('stays', { name: text, plan: { ...text, default: 'small' }, dropped: text, token: secret }),
    moduleOf('goes', { note: text }),
    { kind: 'TIMER', name: 'nightly', title: 'Timer', properties: { cron: text } },
  ],
  plugins: [
    bindingOf('old', 10, { stays: { reads: ['name'] }, goes: { reads: ['note'] } }),
    bindingOf('both', 20, { stays: { reads: ['name', 'dropped', 'token'] }, goes: { reads: ['note'] } }),
  ],
})
const two = bundleOf('versioned', {
  version: '2.0.0',
  resources: [
    moduleOf('stays', {
      name: text,
      plan: { ...text, default: 'large' },
      region: { ...text, required: true },
      zone: { ...text, required: true, default: 'a' },
      token: secret,
      written: text,
    }),
    moduleOf('comes', { color: { ...text, default: 'red' }, size: text }),
  ],
  plugins: [
    bindingOf('both', 20, { stays: { reads: ['name', 'region'], writes: ['written'] } }),
    bindingOf('new', 30, { stays: { reads: ['zone'] }, comes: { reads: ['color', 'size'] } }),
  ],
})
const STAYS = locatorOf(one, 'stays')
const GOES = locatorOf(one, 'goes')
const COMES = locatorOf(one, 'comes')
const NIGHTLY = locatorOf(one, 'nightly', 'TIMER')

let world: RuleWorld
before(async () => {
  world = await ruleWorld()
  await world.register('old', 'both', 'new')
  await world.publish(one, two)
})
after(() => world.close())
beforeEach(() => world.plugin.script(() => ({ outcome: 'APPLIED' })))

const STAGES: Stage[] = ['BEFORE_RESOURCES', 'AFTER_RESOURCES']
const bothStages = (...pluginIds: string[]) =>
  STAGES.flatMap((stage) => pluginIds.map((id) => `${stage} ${id}`))
const wayOf = (operationId: string) =>
  world.callsOf(operationId).map(({ stage, pluginId }) => `${stage} ${pluginId}`)
const actionsOf = ({ resources }: OperationDetail) =>
  Object.fromEntries(
    resources.map((planned) => [
      planned.locator,
      [planned.action, planned.currentVersion, planned.targetVersion],
    ]),
  )

async function installed(properties: Changes = {}): Promise<{ scope: Scope; bundleInstallId: string }> {
  const scope = world.newScope()
  const bundleInstallId = await world.installed(one, {
    scope,
    properties: {
      [STAYS]: wrapped({ name: 'Acme', dropped: 'old', token: 'hush-hush' }),
      [GOES]: wrapped({ note: 'n' }),
      ...properties,
    },
  })
  return { scope, bundleInstallId }
}

async function upgradeTo(bundleInstallId: string, scope: Scope, properties: Changes): Promise<string> {
  const { snapshotVersion } = await world.configuration(scope)
  return world.upgrade(bundleInstallId, {
    targetVersion: '2.0.0',
    snapshotVersion,
    properties,
  })
}

describe('an INSTALL', () => {
  it('has given values and defaults, and is nothing of the configuration before it has succeeded', async () => {
    const { scope, bundleInstallId } = await installed()
    const { resources, snapshotVersion } = await world.configuration(scope)
    const sensitive = { '@type': 'Data', isSensitive: true, isSet: true }
    assert.deepEqual(
      Object.fromEntries(Object.entries(resources).map(([locator, { properties }]) => [locator, properties])),
      {
        [STAYS]: { ...wrapped({ name: 'Acme', plan: 'small', dropped: 'old' }), token: sensitive },
        [GOES]: wrapped({ note: 'n' }),
        [NIGHTLY]: {},
      },
    )
    assert.equal(snapshotVersion, 2)
    const { state, version, claim } = await world.installation(bundleInstallId)
    assert.deepEqual([state, version, claim], ['ACTIVE', '1.0.0', null])
  })

  it('lacking a required value is refused before anything is made', async () => {
    const scope = world.newScope()
    const body = { scope: { ...scope }, bundle: { ...two.bundle }, targetVersion: '2.0.0' }
    const refused = await world.http.call('/installations', { method: 'POST', body })
    assert.equal(refused.errorCode, 'PROPERTY_INVALID')
    const details = refused.data['details'] as { locator: string; property: string }[]
    assert.deepEqual(
      details.map(({ locator, property }) => [locator, property]),
      [[STAYS, 'region']],
    )
    assert.equal((await world.http.call(`${placeOf(scope)}/configuration`)).errorCode, 'NOT_FOUND')
  })

  it('of a bundle of another environment is told of both, and named by the environment of the bundle', async () => {
    const { scope, bundleInstallId } = await installed()
    assert.notEqual(one.bundle.environmentKey, scope.environmentKey)
    const expected = { ...scope, bundleInstallId, bundle: one.bundle }
    assert.deepEqual((await world.installation(bundleInstallId)).installation, expected)
    const calls = world.plugin.calls.filter(
      ({ request }) => request.installation.bundleInstallId === bundleInstallId,
    )
    assert.equal(calls.length, 4)
    for (const { request } of calls) {
      assert.deepEqual(request.installation, expected)
      for (const locator of Object.keys(request.resources))
        assert.ok(locator.startsWith('source/versioned/MODULE/'))
    }
    // the same bundle id of the environment of the scope is another bundle
    const twin = { ...one, bundle: { ...one.bundle, environmentKey: scope.environmentKey } }
    await world.publish(twin)
    await world.installed(twin, { scope })
    await world.saved(scope, { [locatorOf(twin, 'stays')]: wrapped({ name: 'twin' }) })
    const { resources } = await world.configuration(scope)
    assert.deepEqual(resources[STAYS]?.properties['name'], wrapData('Acme'))
    assert.deepEqual(resources[locatorOf(twin, 'stays')]?.properties['name'], wrapData('twin'))
  })
})

describe('an UPGRADE', () => {
  it('adds, changes and removes resources and properties, brings values, and calls the plugins of both versions', async () => {
    const { scope, bundleInstallId } = await installed()
    world.plugin.script(({ pluginId }) => ({
      outcome: 'APPLIED',
      resources: pluginId === 'both' ? { [STAYS]: wrapped({ written: 'by both' }) } : {},
    }))
    const operationId = await upgradeTo(bundleInstallId, scope, {
      [STAYS]: wrapped({ region: 'eu' }),
      [COMES]: wrapped({ size: 'big' }),
    })
    const operation = await world.endsWell(operationId)
    assert.deepEqual(actionsOf(operation), {
      [COMES]: ['INSTALL', null, '2.0.0'],
      [GOES]: ['DETACH', '1.0.0', '1.0.0'],
      [NIGHTLY]: ['DETACH', '1.0.0', '1.0.0'],
      [STAYS]: ['UPGRADE', '1.0.0', '2.0.0'],
    })
    assert.deepEqual(wayOf(operationId), bothStages('old', 'both', 'new'))
    const asked = (pluginId: string) =>
      world.callsOf(operationId).find((call) => call.pluginId === pluginId)?.request
    assert.equal(asked('old')?.resources[GOES]?.action, 'DETACH')
    assert.equal(asked('both')?.resources[GOES]?.action, 'DETACH')
    assert.deepEqual(asked('both')?.resources[GOES]?.properties, wrapped({ note: 'n' }))
    assert.deepEqual(asked('both')?.resources[STAYS]?.properties, wrapped({ name: 'Acme', region: 'eu' }))
    assert.deepEqual(asked('new')?.resources[COMES]?.properties, wrapped({ color: 'red', size: 'big' }))

    const { resources } = await world.configuration(scope)
    assert.deepEqual(Object.keys(resources).toSorted(), [COMES, STAYS])
    assert.deepEqual(resources[STAYS]?.properties, {
      ...wrapped({ name: 'Acme', plan: 'small', region: 'eu', zone: 'a', written: 'by both' }),
      token: { '@type': 'Data', isSensitive: true, isSet: true },
    })
    const { version, plugins } = await world.installation(bundleInstallId)
    assert.deepEqual([version, plugins.map(({ pluginId }) => pluginId)], ['2.0.0', ['both', 'new']])

    // what an operation afterwards sees
    const [configure = ''] = await world.saved(scope, { [COMES]: wrapped({ size: 'small' }) })
    assert.deepEqual(wayOf(configure), bothStages('both', 'new'))
  })

  it('that lacks a required value is a clear refusal before anything starts', async () => {
    const { scope, bundleInstallId } = await installed()
    const [before, callsBefore] = [await world.configuration(scope), world.plugin.calls.length]
    const refused = await world.http.call(`/installations/${bundleInstallId}/upgrade`, {
      method: 'POST',
      body: { targetVersion: '2.0.0' },
    })
    assert.equal(refused.errorCode, 'PROPERTY_INVALID')
    const details = refused.data['details'] as { locator: string; property: string }[]
    assert.deepEqual(
      details.map(({ locator, property }) => [locator, property]),
      [[STAYS, 'region']],
    )
    assert.deepEqual(await world.configuration(scope), before)
    assert.equal(world.plugin.calls.length, callsBefore)
    assert.equal((await world.installation(bundleInstallId)).claim, null)
  })
})

describe('a DETACH over a failed UPGRADE', () => {
  it('calls the plugins of both versions, in reverse, on everything that may be there, with what was written', async () => {
    const { scope, bundleInstallId } = await installed()
    world.plugin.script(({ pluginId }) =>
      pluginId === 'both'
        ? { outcome: 'APPLIED', resources: { [STAYS]: wrapped({ written: 'by both' }) } }
        : { outcome: pluginId === 'new' ? 'FAILED' : 'APPLIED' },
    )
    const failed = await world.fails(
      await upgradeTo(bundleInstallId, scope, { [STAYS]: wrapped({ region: 'eu' }) }),
      'PLUGIN_REPORTED_FAILURE',
    )
    world.plugin.script(() => ({ outcome: 'APPLIED' }))
    const detachId = await world.takeOver(failed)
    const detach = await world.endsWell(detachId)
    assert.deepEqual(
      [detach.currentVersion, detach.targetVersion, detach.takesOver],
      ['1.0.0', '2.0.0', failed.operationId],
    )
    assert.equal(detach.executionSequence, failed.executionSequence + 1)
    const takenOver = await world.operation(failed.operationId)
    assert.deepEqual([takenOver.state, takenOver.takenOverBy], ['TAKEN_OVER', detachId])
    assert.deepEqual(wayOf(detachId), bothStages('new', 'both', 'old'))
    assert.deepEqual(
      detach.resources.map(({ locator, action }) => [locator, action]),
      [COMES, GOES, STAYS, NIGHTLY].toSorted().map((locator) => [locator, 'DETACH']),
    )
    const asked = (pluginId: string) =>
      world.callsOf(detachId).find((call) => call.pluginId === pluginId)?.request
    assert.deepEqual(Object.keys(asked('new')?.resources ?? {}).toSorted(), [COMES, STAYS])
    assert.deepEqual(Object.keys(asked('both')?.resources ?? {}).toSorted(), [GOES, STAYS])
    assert.deepEqual(Object.keys(asked('old')?.resources ?? {}).toSorted(), [GOES, STAYS])
    assert.deepEqual(asked('both')?.resources[STAYS]?.properties, wrapped({ name: 'Acme', region: 'eu' }))

    const { state, resources } = await world.installation(bundleInstallId)
    assert.deepEqual([state, resources], ['DETACHED', []])
    assert.deepEqual((await world.configuration(scope)).resources, {})
  })
})

describe('a DETACH that fails', () => {
  it('can be retried, and taken over by another DETACH, which is named with the run that was seen', async () => {
    const { bundleInstallId } = await installed()
    world.plugin.script(() => ({ outcome: 'FAILED' }))
    const first = await world.fails(await world.detach(bundleInstallId), 'PLUGIN_REPORTED_FAILURE')
    const begun = await world.http.call(`/installations/${bundleInstallId}/detach`, {
      method: 'POST',
      body: { reason: 'again' },
    })
    assert.equal(begun.errorCode, 'OPERATION_CLAIM_HELD')

    await world.retry(first)
    const again = await world.fails(first.operationId, 'PLUGIN_REPORTED_FAILURE')
    assert.equal(again.run, 2)
    const stale = await world.http.call(`/operations/${first.operationId}/takeover`, {
      method: 'POST',
      body: { run: 1, reason: 'as I saw it' },
    })
    assert.equal(stale.errorCode, 'TAKEOVER_NOT_ALLOWED')

    const secondId = await world.takeOver(again)
    const second = await world.fails(secondId, 'PLUGIN_REPORTED_FAILURE')
    assert.equal((await world.operation(first.operationId)).state, 'TAKEN_OVER')
    const { claim, state } = await world.installation(bundleInstallId)
    assert.deepEqual([claim?.operationId, state], [secondId, 'ACTIVE'])

    world.plugin.script(() => ({ outcome: 'APPLIED' }))
    const third = await world.endsWell(await world.takeOver(second))
    assert.deepEqual([third.takesOver, third.executionSequence], [secondId, first.executionSequence + 2])
    assert.deepEqual(wayOf(third.operationId), bothStages('both', 'old'))
    assert.equal((await world.installation(bundleInstallId)).state, 'DETACHED')
  })

  it('over an INSTALL that never succeeded leaves nothing, and names no current version', async () => {
    world.plugin.script(({ pluginId }) => ({ outcome: pluginId === 'both' ? 'FAILED' : 'APPLIED' }))
    const scope = world.newScope()
    const { operationId, bundleInstallId } = await world.install(one, { scope })
    const failed = await world.fails(operationId, 'PLUGIN_REPORTED_FAILURE')
    world.plugin.script(() => ({ outcome: 'NOT_APPLIED' }))
    const detach = await world.endsWell(await world.takeOver(failed))
    assert.deepEqual([detach.currentVersion, detach.targetVersion], [null, '1.0.0'])
    assert.deepEqual(wayOf(detach.operationId), bothStages('both', 'old'))
    for (const { request } of world.callsOf(detach.operationId))
      for (const resource of Object.values(request.resources))
        assert.deepEqual(
          [resource.action, resource.currentVersion, resource.targetVersion],
          ['DETACH', null, '1.0.0'],
        )
    assert.equal((await world.installation(bundleInstallId)).state, 'DETACHED')
    await world.installed(one, { scope })
  })

  it('can be taken over only while it is FAILED', async () => {
    const { bundleInstallId } = await installed()
    const done = await world.endsWell(await world.detach(bundleInstallId))
    for (const [path, code] of [
      ['takeover', 'TAKEOVER_NOT_ALLOWED'],
      ['retry', 'OPERATION_NOT_RETRYABLE'],
    ]) {
      const body = { run: 1, ...(path === 'takeover' && { reason: 'why not' }) }
      const refused = await world.http.call(`/operations/${done.operationId}/${path}`, {
        method: 'POST',
        body,
      })
      assert.equal(refused.errorCode, code)
    }
  })
})

describe('copyFrom', () => {
  it('copies the last configuration of a DETACHED installation, sensitive values too, which are never shown', async () => {
    const { scope, bundleInstallId } = await installed()
    await world.saved(scope, { [STAYS]: wrapped({ name: 'changed later' }) })
    await world.endsWell(await world.detach(bundleInstallId))
    const callsBefore = world.plugin.calls.length
    const again = await world.install(one, {
      scope,
      copyFrom: bundleInstallId,
      properties: { [GOES]: wrapped({ note: 'given' }) },
    })
    await world.endsWell(again.operationId)

    const told = world.callsOf(again.operationId).find(({ pluginId }) => pluginId === 'both')?.request
    assert.deepEqual(told?.resources[STAYS]?.properties, {
      ...wrapped({ name: 'changed later', dropped: 'old' }),
      token: { '@type': 'Data', value: 'hush-hush', isSensitive: true },
    })
    assert.deepEqual(told?.resources[GOES]?.properties, wrapped({ note: 'given' }))
    // only plugin `both` may read it, and nobody else is ever shown it
    for (const { pluginId, body } of world.plugin.calls.slice(callsBefore))
      assert.equal(body.includes('hush-hush'), pluginId === 'both')
    const pages = [
      `/installations/${again.bundleInstallId}`,
      `/operations/${again.operationId}`,
      `${placeOf(scope)}/configuration`,
      `${placeOf(scope)}/configuration/history`,
      `/audit?bundleInstallId=${again.bundleInstallId}`,
    ]
    for (const page of pages) {
      const shown = JSON.stringify((await world.http.call(page)).json)
      assert.ok(shown.includes('token'), page)
      assert.ok(!shown.includes('hush-hush'), page)
    }
  })

  it('is refused of an installation that is not DETACHED, or of another bundle', async () => {
    const { bundleInstallId } = await installed()
    const ask = (bundle: typeof one.bundle) =>
      world.http.call('/installations', {
        method: 'POST',
        body: {
          scope: { ...world.newScope() },
          bundle: { ...bundle },
          targetVersion: '1.0.0',
          copyFrom: { bundleInstallId },
        },
      })
    assert.equal((await ask(one.bundle)).errorCode, 'REQUEST_INVALID')
    const other = { ...one, bundle: { ...one.bundle, bundleId: 'another' } }
    await world.publish(other)
    await world.endsWell(await world.detach(bundleInstallId))
    assert.equal((await ask(other.bundle)).errorCode, 'REQUEST_INVALID')
  })
})
