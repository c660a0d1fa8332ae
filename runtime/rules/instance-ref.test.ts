import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { wrapData } from '#contract/protocol/data.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import type { Scope } from '#contract/protocol/scope.ts'
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

// The runtime writes instanceRefProperty once; after that nothing and no one can change it.

const REF = 'instanceRefProperty'
const reads = { main: { reads: [REF, 'name'], writes: ['name'] } }
const bundle = bundleOf('referred', {
  resources: [moduleOf('main', { [REF]: TEXT, name: TEXT, size: TEXT }), moduleOf('late', { other: TEXT })],
  plugins: [bindingOf('referrer', 1, reads)],
})
const withDefaults = bundleOf('referred', {
  version: '2.0.0',
  resources: [
    moduleOf('main', { [REF]: { ...TEXT, default: 'of the author' }, name: TEXT, size: TEXT }),
    // newly defined on an existing resource
    moduleOf('late', { [REF]: { ...TEXT, default: 'of the author' }, size: { ...TEXT, default: 'large' } }),
    moduleOf('new', { [REF]: { ...TEXT, default: 'of the author', required: true } }),
  ],
  plugins: [bindingOf('referrer', 1, reads)],
})
const MAIN = locatorOf(bundle, 'main')
const LATE = locatorOf(bundle, 'late')

let harness: RuleHarness
before(async () => {
  harness = await startRuleHarness()
  await harness.register('referrer')
  await harness.publish(bundle, withDefaults)
})
after(() => harness.close())
beforeEach(() => harness.plugin.script(() => ({ outcome: 'APPLIED' })))

/** Checks the value in the ledger and in plugin requests; the configuration does not show it. */
async function assertKept(bundleInstallId: string, locators: string[]): Promise<void> {
  const ledger = await harness.db
    .selectFrom('runtime.installed_resource')
    .select(['locator', 'properties'])
    .where('bundle_install_id', '=', bundleInstallId)
    .execute()
  const stored = ledger.filter(({ properties }) => properties[REF] !== undefined)
  assert.deepEqual(stored.map(({ locator }) => locator).toSorted(), locators.toSorted())
  for (const { properties } of stored) assert.deepEqual(properties[REF], wrapData(bundleInstallId))
  const saved = await harness.db
    .selectFrom('runtime.configuration_property')
    .select('value')
    .where('bundle_install_id', '=', bundleInstallId)
    .where('property', '=', REF)
    .execute()
  assert.deepEqual(
    saved.map(({ value }) => value),
    locators.map(() => wrapData(bundleInstallId)),
  )
  const sent = harness.plugin.calls
    .filter(({ request }) => request.installation.bundleInstallId === bundleInstallId)
    .map(({ request }) => request.resources[MAIN]?.properties[REF])
  assert.ok(sent.length > 0)
  for (const value of sent) assert.deepEqual(value, wrapData(bundleInstallId))
}

async function installed(): Promise<{ scope: Scope; bundleInstallId: string }> {
  const scope = harness.newScope()
  return { scope, bundleInstallId: await harness.installed(bundle, { scope }) }
}

describe('the instanceRefProperty', () => {
  it('is set at INSTALL to the id of the installation, and never by the person who installs', async () => {
    const { bundleInstallId } = await installed()
    await assertKept(bundleInstallId, [MAIN])
    const body: JsonObject = {
      scope: { ...harness.newScope() },
      bundle: { ...bundle.bundle },
      targetVersion: '1.0.0',
      properties: { [MAIN]: wrapped({ [REF]: 'mine' }) },
    }
    assert.equal(
      (await harness.http.call('/installations', { method: 'POST', body })).errorCode,
      'PROPERTY_PROTECTED',
    )
  })

  it('is refused in a save with any value or none, together with the rest of the save', async () => {
    const { scope, bundleInstallId } = await installed()
    const before = await harness.configuration(scope)
    for (const value of [wrapData('mine'), wrapData(bundleInstallId), null]) {
      const refused = await harness.save(scope, { [MAIN]: { [REF]: value, ...wrapped({ size: 'small' }) } })
      assert.equal(refused.errorCode, 'PROPERTY_PROTECTED')
    }
    const elsewhere = await harness.save(scope, { [LATE]: wrapped({ [REF]: 'mine' }) })
    assert.equal(elsewhere.errorCode, 'PROPERTY_PROTECTED')
    assert.deepEqual(await harness.configuration(scope), before)
    await assertKept(bundleInstallId, [MAIN])
  })

  it('is refused in an import of the full configuration, and stays if the import omits it', async () => {
    const { scope, bundleInstallId } = await installed()
    const put = async (properties: JsonObject) => {
      const { snapshotVersion } = await harness.configuration(scope)
      const body = { snapshotVersion, resources: { [MAIN]: { properties } } }
      return harness.http.call(`${placeOf(scope)}/configuration`, { method: 'PUT', body })
    }
    const given = wrapped({ size: 'small', [REF]: bundleInstallId }) as unknown as JsonObject
    assert.equal((await put(given)).errorCode, 'PROPERTY_PROTECTED')
    const imported = await put(wrapped({ size: 'small' }))
    for (const { operationId } of imported.data['operations'] as { operationId: string }[])
      await harness.succeeds(operationId)
    await assertKept(bundleInstallId, [MAIN])
  })

  it('cannot be reached by another spelling of the locator or its name', async () => {
    const { scope, bundleInstallId } = await installed()
    const before = await harness.configuration(scope)
    const spellings = [
      'source/referred/MODULE/%6dain',
      'source/referred/module/main',
      'SOURCE/referred/MODULE/main',
      'source/referred/MODULE/Main',
      'source/referred/MODULE/main/',
      '/source/referred/MODULE/main',
      'source//referred/MODULE/main',
      'source/./referred/MODULE/main',
      'source/referred/MODULE/../MODULE/main',
      ' source/referred/MODULE/main',
      'source/referred/MODULE/main\u200b',
      'source/referred/MODULE/ma\u0131n',
      'source\\referred\\MODULE\\main',
      'ｓource/referred/MODULE/main',
    ]
    for (const locator of spellings) {
      const refused = await harness.save(scope, { [locator]: wrapped({ size: 'small' }) })
      assert.match(refused.errorCode, /^(REQUEST_INVALID|RESOURCE_OWNERSHIP_MISSING)$/, locator)
      const named = await harness.save(scope, { [locator]: wrapped({ [REF]: 'mine' }) })
      assert.match(named.errorCode, /^(REQUEST_INVALID|PROPERTY_PROTECTED)$/, locator)
    }
    for (const name of [
      'InstanceRefProperty',
      'instanceRefProperty ',
      'instanceRefPropert\u0443',
      'instance.RefProperty',
    ]) {
      const refused = await harness.save(scope, { [MAIN]: wrapped({ [name]: 'mine' }) })
      assert.match(refused.errorCode, /^(REQUEST_INVALID|PROPERTY_INVALID)$/, name)
    }
    assert.deepEqual(await harness.configuration(scope), before)
    await assertKept(bundleInstallId, [MAIN])
  })

  it('has no given or default value in an UPGRADE; the runtime sets it where it is new', async () => {
    const { scope, bundleInstallId } = await installed()
    const { snapshotVersion } = await harness.configuration(scope)
    const properties = { [MAIN]: wrapped({ [REF]: 'mine' }) } as unknown as JsonObject
    const refused = await harness.http.call(`/installations/${bundleInstallId}/upgrade`, {
      method: 'POST',
      body: { targetVersion: '2.0.0', snapshotVersion, properties },
    })
    assert.equal(refused.errorCode, 'PROPERTY_PROTECTED')
    await harness.succeeds(await harness.upgrade(bundleInstallId, { targetVersion: '2.0.0' }))
    await assertKept(bundleInstallId, [MAIN, LATE, locatorOf(bundle, 'new')])
    const { resources } = await harness.configuration(scope)
    assert.deepEqual(resources[LATE]?.properties['size'], wrapData('large'))
    // after going back it stays, as long as the resource exists
    await harness.succeeds(await harness.upgrade(bundleInstallId, { targetVersion: '1.0.0' }))
    await assertKept(bundleInstallId, [MAIN, LATE])
  })

  it('cannot be written by a plugin: such a manifest is rejected, and such a response is invalid', async () => {
    const declared = bundleOf('declared', {
      resources: [moduleOf('main', { [REF]: TEXT })],
      plugins: [bindingOf('referrer', 1, { main: { writes: [REF] } })],
    })
    const answer = await harness.http.call('/bundles/source/declared/versions/1.0.0', {
      method: 'PUT',
      body: declared as unknown as JsonObject,
    })
    assert.equal(answer.errorCode, 'MANIFEST_INVALID')

    for (const stage of ['BEFORE_RESOURCES', 'AFTER_RESOURCES'] as const) {
      const { scope, bundleInstallId } = await installed()
      harness.plugin.script((call) => ({
        outcome: 'APPLIED',
        resources:
          call.stage === stage ? { [MAIN]: wrapped({ name: 'written', [REF]: bundleInstallId }) } : {},
      }))
      const saved = await harness.save(scope, { [MAIN]: wrapped({ size: 'small' }) })
      const [operation] = saved.data['operations'] as { operationId: string }[]
      await harness.fails(operation?.operationId ?? '', 'PLUGIN_RESPONSE_INVALID')
      harness.plugin.script(() => ({ outcome: 'APPLIED' }))
      const failed = await harness.operation(operation?.operationId ?? '')
      await harness.retry(failed)
      await harness.succeeds(failed.operationId)
      await assertKept(bundleInstallId, [MAIN])
      assert.equal((await harness.configuration(scope)).resources[MAIN]?.properties['name'], undefined)
    }
  })

  it('is set to the new installation when the configuration of an old one is copied', async () => {
    const { scope, bundleInstallId } = await installed()
    await harness.succeeds(await harness.detach(bundleInstallId))
    const again = await harness.installed(bundle, { scope, copyFrom: bundleInstallId })
    assert.notEqual(again, bundleInstallId)
    await assertKept(again, [MAIN])
  })

  it('is ordinary data inside a business value', async () => {
    const { scope, bundleInstallId } = await installed()
    const free = bundleOf('free', {
      resources: [moduleOf('main', { value: { kind: 'DATA', schema: { type: 'object' } } })],
    })
    await harness.publish(free)
    await harness.installed(free, { scope })
    const value = { [REF]: 'mine', inside: [{ [REF]: null }] }
    await harness.saved(scope, { [locatorOf(free, 'main')]: { value: wrapData(value) } })
    const { resources } = await harness.configuration(scope)
    assert.deepEqual(resources[locatorOf(free, 'main')]?.properties['value'], wrapData(value))
    await assertKept(bundleInstallId, [MAIN])
  })
})
