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
  startRuleHarness,
  TEXT,
  wrapped,
} from '../testing/rules.ts'
import type { RuleHarness } from '../testing/rules.ts'

// UPGRADE and DETACH: what is added, changed, removed, supplied, taken over and copied.

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

let harness: RuleHarness
before(async () => {
  harness = await startRuleHarness()
  await harness.register('old', 'both', 'new')
  await harness.publish(one, two)
})
after(() => harness.close())
beforeEach(() => harness.plugin.script(() => ({ outcome: 'APPLIED' })))

const STAGES: Stage[] = ['BEFORE_RESOURCES', 'AFTER_RESOURCES']
const bothStages = (...pluginIds: string[]) =>
  STAGES.flatMap((stage) => pluginIds.map((id) => `${stage} ${id}`))
const callOrderOf = (operationId: string) =>
  harness.callsOf(operationId).map(({ stage, pluginId }) => `${stage} ${pluginId}`)
const actionsOf = ({ resources }: OperationDetail) =>
  Object.fromEntries(
    resources.map((planned) => [
      planned.locator,
      [planned.action, planned.currentVersion, planned.targetVersion],
    ]),
  )

async function installed(properties: Changes = {}): Promise<{ scope: Scope; bundleInstallId: string }> {
  const scope = harness.newScope()
  const bundleInstallId = await harness.installed(one, {
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
  const { snapshotVersion } = await harness.configuration(scope)
  return harness.upgrade(bundleInstallId, {
    targetVersion: '2.0.0',
    snapshotVersion,
    properties,
  })
}

describe('an INSTALL', () => {
  it('applies given values and defaults, and becomes configuration only on success', async () => {
    const { scope, bundleInstallId } = await installed()
    const { resources, snapshotVersion } = await harness.configuration(scope)
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
    const { state, version, claim } = await harness.installation(bundleInstallId)
    assert.deepEqual([state, version, claim], ['ACTIVE', '1.0.0', null])
  })

  it('without a required value is refused before anything is created', async () => {
    const scope = harness.newScope()
    const body = { scope: { ...scope }, bundle: { ...two.bundle }, targetVersion: '2.0.0' }
    const refused = await harness.http.call('/installations', { method: 'POST', body })
    assert.equal(refused.errorCode, 'PROPERTY_INVALID')
    const details = refused.data['details'] as { locator: string; property: string }[]
    assert.deepEqual(
      details.map(({ locator, property }) => [locator, property]),
      [[STAYS, 'region']],
    )
    assert.equal((await harness.http.call(`${placeOf(scope)}/configuration`)).errorCode, 'NOT_FOUND')
  })

  it('of a bundle from another environment sends both environments, and locators use the one of the bundle', async () => {
    const { scope, bundleInstallId } = await installed()
    assert.notEqual(one.bundle.environmentKey, scope.environmentKey)
    const expected = { ...scope, bundleInstallId, bundle: one.bundle }
    assert.deepEqual((await harness.installation(bundleInstallId)).installation, expected)
    const calls = harness.plugin.calls.filter(
      ({ request }) => request.installation.bundleInstallId === bundleInstallId,
    )
    assert.equal(calls.length, 4)
    for (const { request } of calls) {
      assert.deepEqual(request.installation, expected)
      for (const locator of Object.keys(request.resources))
        assert.ok(locator.startsWith('source/versioned/MODULE/'))
    }
    // the same bundle id in the environment of the scope is a different bundle
    const twin = { ...one, bundle: { ...one.bundle, environmentKey: scope.environmentKey } }
    await harness.publish(twin)
    await harness.installed(twin, { scope })
    await harness.saved(scope, { [locatorOf(twin, 'stays')]: wrapped({ name: 'twin' }) })
    const { resources } = await harness.configuration(scope)
    assert.deepEqual(resources[STAYS]?.properties['name'], wrapData('Acme'))
    assert.deepEqual(resources[locatorOf(twin, 'stays')]?.properties['name'], wrapData('twin'))
  })
})

describe('an UPGRADE', () => {
  it('adds, changes and removes resources and properties, supplies values, and calls the plugins of both versions', async () => {
    const { scope, bundleInstallId } = await installed()
    harness.plugin.script(({ pluginId }) => ({
      outcome: 'APPLIED',
      resources: pluginId === 'both' ? { [STAYS]: wrapped({ written: 'by both' }) } : {},
    }))
    const operationId = await upgradeTo(bundleInstallId, scope, {
      [STAYS]: wrapped({ region: 'eu' }),
      [COMES]: wrapped({ size: 'big' }),
    })
    const operation = await harness.succeeds(operationId)
    assert.deepEqual(actionsOf(operation), {
      [COMES]: ['INSTALL', null, '2.0.0'],
      [GOES]: ['DETACH', '1.0.0', '1.0.0'],
      [NIGHTLY]: ['DETACH', '1.0.0', '1.0.0'],
      [STAYS]: ['UPGRADE', '1.0.0', '2.0.0'],
    })
    assert.deepEqual(callOrderOf(operationId), bothStages('old', 'both', 'new'))
    const requestTo = (pluginId: string) =>
      harness.callsOf(operationId).find((call) => call.pluginId === pluginId)?.request
    assert.equal(requestTo('old')?.resources[GOES]?.action, 'DETACH')
    assert.equal(requestTo('both')?.resources[GOES]?.action, 'DETACH')
    assert.deepEqual(requestTo('both')?.resources[GOES]?.properties, wrapped({ note: 'n' }))
    assert.deepEqual(requestTo('both')?.resources[STAYS]?.properties, wrapped({ name: 'Acme', region: 'eu' }))
    assert.deepEqual(requestTo('new')?.resources[COMES]?.properties, wrapped({ color: 'red', size: 'big' }))

    const { resources } = await harness.configuration(scope)
    assert.deepEqual(Object.keys(resources).toSorted(), [COMES, STAYS])
    assert.deepEqual(resources[STAYS]?.properties, {
      ...wrapped({ name: 'Acme', plan: 'small', region: 'eu', zone: 'a', written: 'by both' }),
      token: { '@type': 'Data', isSensitive: true, isSet: true },
    })
    const { version, plugins } = await harness.installation(bundleInstallId)
    assert.deepEqual([version, plugins.map(({ pluginId }) => pluginId)], ['2.0.0', ['both', 'new']])

    // visible to a later operation
    const [configure = ''] = await harness.saved(scope, { [COMES]: wrapped({ size: 'small' }) })
    assert.deepEqual(callOrderOf(configure), bothStages('both', 'new'))
  })

  it('without a required value is clearly refused before anything starts', async () => {
    const { scope, bundleInstallId } = await installed()
    const [before, callsBefore] = [await harness.configuration(scope), harness.plugin.calls.length]
    const refused = await harness.http.call(`/installations/${bundleInstallId}/upgrade`, {
      method: 'POST',
      body: { targetVersion: '2.0.0' },
    })
    assert.equal(refused.errorCode, 'PROPERTY_INVALID')
    const details = refused.data['details'] as { locator: string; property: string }[]
    assert.deepEqual(
      details.map(({ locator, property }) => [locator, property]),
      [[STAYS, 'region']],
    )
    assert.deepEqual(await harness.configuration(scope), before)
    assert.equal(harness.plugin.calls.length, callsBefore)
    assert.equal((await harness.installation(bundleInstallId)).claim, null)
  })
})

describe('a DETACH over a failed UPGRADE', () => {
  it('calls the plugins of both versions in reverse order, on everything that may exist, with the written values', async () => {
    const { scope, bundleInstallId } = await installed()
    harness.plugin.script(({ pluginId }) =>
      pluginId === 'both'
        ? { outcome: 'APPLIED', resources: { [STAYS]: wrapped({ written: 'by both' }) } }
        : { outcome: pluginId === 'new' ? 'FAILED' : 'APPLIED' },
    )
    const failed = await harness.fails(
      await upgradeTo(bundleInstallId, scope, { [STAYS]: wrapped({ region: 'eu' }) }),
      'PLUGIN_REPORTED_FAILURE',
    )
    harness.plugin.script(() => ({ outcome: 'APPLIED' }))
    const detachId = await harness.takeOver(failed)
    const detach = await harness.succeeds(detachId)
    assert.deepEqual(
      [detach.currentVersion, detach.targetVersion, detach.takesOver],
      ['1.0.0', '2.0.0', failed.operationId],
    )
    assert.equal(detach.executionSequence, failed.executionSequence + 1)
    const takenOver = await harness.operation(failed.operationId)
    assert.deepEqual([takenOver.state, takenOver.takenOverBy], ['TAKEN_OVER', detachId])
    assert.deepEqual(callOrderOf(detachId), bothStages('new', 'both', 'old'))
    assert.deepEqual(
      detach.resources.map(({ locator, action }) => [locator, action]),
      [COMES, GOES, STAYS, NIGHTLY].toSorted().map((locator) => [locator, 'DETACH']),
    )
    const requestTo = (pluginId: string) =>
      harness.callsOf(detachId).find((call) => call.pluginId === pluginId)?.request
    assert.deepEqual(Object.keys(requestTo('new')?.resources ?? {}).toSorted(), [COMES, STAYS])
    assert.deepEqual(Object.keys(requestTo('both')?.resources ?? {}).toSorted(), [GOES, STAYS])
    assert.deepEqual(Object.keys(requestTo('old')?.resources ?? {}).toSorted(), [GOES, STAYS])
    assert.deepEqual(requestTo('both')?.resources[STAYS]?.properties, wrapped({ name: 'Acme', region: 'eu' }))

    const { state, resources } = await harness.installation(bundleInstallId)
    assert.deepEqual([state, resources], ['DETACHED', []])
    assert.deepEqual((await harness.configuration(scope)).resources, {})
  })
})

describe('a DETACH that fails', () => {
  it('can be retried, and taken over by another DETACH for the run that the person saw', async () => {
    const { bundleInstallId } = await installed()
    harness.plugin.script(() => ({ outcome: 'FAILED' }))
    const first = await harness.fails(await harness.detach(bundleInstallId), 'PLUGIN_REPORTED_FAILURE')
    const begun = await harness.http.call(`/installations/${bundleInstallId}/detach`, {
      method: 'POST',
      body: { reason: 'again' },
    })
    assert.equal(begun.errorCode, 'OPERATION_CLAIM_HELD')

    await harness.retry(first)
    const again = await harness.fails(first.operationId, 'PLUGIN_REPORTED_FAILURE')
    assert.equal(again.run, 2)
    const stale = await harness.http.call(`/operations/${first.operationId}/takeover`, {
      method: 'POST',
      body: { run: 1, reason: 'as I saw it' },
    })
    assert.equal(stale.errorCode, 'TAKEOVER_NOT_ALLOWED')

    const secondId = await harness.takeOver(again)
    const second = await harness.fails(secondId, 'PLUGIN_REPORTED_FAILURE')
    assert.equal((await harness.operation(first.operationId)).state, 'TAKEN_OVER')
    const { claim, state } = await harness.installation(bundleInstallId)
    assert.deepEqual([claim?.operationId, state], [secondId, 'ACTIVE'])

    harness.plugin.script(() => ({ outcome: 'APPLIED' }))
    const third = await harness.succeeds(await harness.takeOver(second))
    assert.deepEqual([third.takesOver, third.executionSequence], [secondId, first.executionSequence + 2])
    assert.deepEqual(callOrderOf(third.operationId), bothStages('both', 'old'))
    assert.equal((await harness.installation(bundleInstallId)).state, 'DETACHED')
  })

  it('over an INSTALL that never succeeded leaves nothing behind, and has no current version', async () => {
    harness.plugin.script(({ pluginId }) => ({ outcome: pluginId === 'both' ? 'FAILED' : 'APPLIED' }))
    const scope = harness.newScope()
    const { operationId, bundleInstallId } = await harness.install(one, { scope })
    const failed = await harness.fails(operationId, 'PLUGIN_REPORTED_FAILURE')
    harness.plugin.script(() => ({ outcome: 'NOT_APPLIED' }))
    const detach = await harness.succeeds(await harness.takeOver(failed))
    assert.deepEqual([detach.currentVersion, detach.targetVersion], [null, '1.0.0'])
    assert.deepEqual(callOrderOf(detach.operationId), bothStages('both', 'old'))
    for (const { request } of harness.callsOf(detach.operationId))
      for (const resource of Object.values(request.resources))
        assert.deepEqual(
          [resource.action, resource.currentVersion, resource.targetVersion],
          ['DETACH', null, '1.0.0'],
        )
    assert.equal((await harness.installation(bundleInstallId)).state, 'DETACHED')
    await harness.installed(one, { scope })
  })

  it('can be taken over only while it is FAILED', async () => {
    const { bundleInstallId } = await installed()
    const done = await harness.succeeds(await harness.detach(bundleInstallId))
    for (const [path, code] of [
      ['takeover', 'TAKEOVER_NOT_ALLOWED'],
      ['retry', 'OPERATION_NOT_RETRYABLE'],
    ]) {
      const body = { run: 1, ...(path === 'takeover' && { reason: 'why not' }) }
      const refused = await harness.http.call(`/operations/${done.operationId}/${path}`, {
        method: 'POST',
        body,
      })
      assert.equal(refused.errorCode, code)
    }
  })
})

describe('an installation that was detached', () => {
  it('says who detached it, when and why, also after retention, and names those before and after it', async () => {
    const { scope, bundleInstallId } = await installed()
    const first = await harness.installation(bundleInstallId)
    assert.deepEqual([first.detached, first.predecessor, first.successor], [null, null, null])
    const operationId = await harness.detach(bundleInstallId)
    const { finishedAt } = await harness.succeeds(operationId)
    const { detached } = await harness.installation(bundleInstallId)
    const by = { id: 'ada', name: 'ada' }
    assert.deepEqual(detached, { at: finishedAt, by, reason: 'not needed any more', operationId })

    const second = await harness.install(one, { scope, copyFrom: bundleInstallId })
    await harness.succeeds(second.operationId)
    const stateOf = async (id: string) => {
      const { predecessor, successor } = await harness.installation(id)
      return [predecessor?.bundleInstallId, successor?.bundleInstallId, successor?.state]
    }
    assert.deepEqual(await stateOf(bundleInstallId), [undefined, second.bundleInstallId, 'ACTIVE'])
    assert.deepEqual(await stateOf(second.bundleInstallId), [bundleInstallId, undefined, undefined])

    // as retention does
    for (const table of ['attempt', 'plugin_call', 'operation_plan', 'operation'] as const)
      await harness.db.deleteFrom(`runtime.${table}`).where('operation_id', '=', operationId).execute()
    const later = (await harness.installation(bundleInstallId)).detached
    assert.deepEqual([later?.by, later?.reason, later?.operationId], [by, 'not needed any more', null])
  })
})

describe('copyFrom', () => {
  it('copies the last configuration of a DETACHED installation, sensitive values too, which are never shown', async () => {
    const { scope, bundleInstallId } = await installed()
    await harness.saved(scope, { [STAYS]: wrapped({ name: 'changed later' }) })
    await harness.succeeds(await harness.detach(bundleInstallId))
    const callsBefore = harness.plugin.calls.length
    const again = await harness.install(one, {
      scope,
      copyFrom: bundleInstallId,
      properties: { [GOES]: wrapped({ note: 'given' }) },
    })
    await harness.succeeds(again.operationId)

    const request = harness.callsOf(again.operationId).find(({ pluginId }) => pluginId === 'both')?.request
    assert.deepEqual(request?.resources[STAYS]?.properties, {
      ...wrapped({ name: 'changed later', dropped: 'old' }),
      token: { '@type': 'Data', value: 'hush-hush', isSensitive: true },
    })
    assert.deepEqual(request?.resources[GOES]?.properties, wrapped({ note: 'given' }))
    // only plugin `both` may read it, and no one else ever sees it
    for (const { pluginId, body } of harness.plugin.calls.slice(callsBefore))
      assert.equal(body.includes('hush-hush'), pluginId === 'both')
    const pages = [
      `/installations/${again.bundleInstallId}`,
      `/operations/${again.operationId}`,
      `${placeOf(scope)}/configuration`,
      `${placeOf(scope)}/configuration/history`,
      `/audit?bundleInstallId=${again.bundleInstallId}`,
    ]
    for (const page of pages) {
      const shown = JSON.stringify((await harness.http.call(page)).json)
      assert.ok(shown.includes('token'), page)
      assert.ok(!shown.includes('hush-hush'), page)
    }
  })

  it('is refused for an installation that is not DETACHED or of another bundle', async () => {
    const { bundleInstallId } = await installed()
    const ask = (bundle: typeof one.bundle) =>
      harness.http.call('/installations', {
        method: 'POST',
        body: {
          scope: { ...harness.newScope() },
          bundle: { ...bundle },
          targetVersion: '1.0.0',
          copyFrom: { bundleInstallId },
        },
      })
    assert.equal((await ask(one.bundle)).errorCode, 'REQUEST_INVALID')
    const other = { ...one, bundle: { ...one.bundle, bundleId: 'another' } }
    await harness.publish(other)
    await harness.succeeds(await harness.detach(bundleInstallId))
    assert.equal((await ask(other.bundle)).errorCode, 'REQUEST_INVALID')
  })
})
