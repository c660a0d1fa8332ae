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
  ruleWorld,
  TEXT,
  wrapped,
} from '../testing/rules.ts'
import type { RuleWorld } from '../testing/rules.ts'

// instanceRefProperty is written once, by the runtime, and by nothing and nobody ever again.

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
    // defined only now, on a resource that is there
    moduleOf('late', { [REF]: { ...TEXT, default: 'of the author' }, size: { ...TEXT, default: 'large' } }),
    moduleOf('new', { [REF]: { ...TEXT, default: 'of the author', required: true } }),
  ],
  plugins: [bindingOf('referrer', 1, reads)],
})
const MAIN = locatorOf(bundle, 'main')
const LATE = locatorOf(bundle, 'late')

let world: RuleWorld
before(async () => {
  world = await ruleWorld()
  await world.register('referrer')
  await world.publish(bundle, withDefaults)
})
after(() => world.close())
beforeEach(() => world.plugin.script(() => ({ outcome: 'APPLIED' })))

/** In the ledger and in what plugins are told; people are not shown it in the configuration. */
async function assertKept(bundleInstallId: string, locators: string[]): Promise<void> {
  const ledger = await world.db
    .selectFrom('runtime.installed_resource')
    .select(['locator', 'properties'])
    .where('bundle_install_id', '=', bundleInstallId)
    .execute()
  const kept = ledger.filter(({ properties }) => properties[REF] !== undefined)
  assert.deepEqual(kept.map(({ locator }) => locator).toSorted(), locators.toSorted())
  for (const { properties } of kept) assert.deepEqual(properties[REF], wrapData(bundleInstallId))
  const saved = await world.db
    .selectFrom('runtime.configuration_property')
    .select('value')
    .where('bundle_install_id', '=', bundleInstallId)
    .where('property', '=', REF)
    .execute()
  assert.deepEqual(
    saved.map(({ value }) => value),
    locators.map(() => wrapData(bundleInstallId)),
  )
  const told = world.plugin.calls
    .filter(({ request }) => request.installation.bundleInstallId === bundleInstallId)
    .map(({ request }) => request.resources[MAIN]?.properties[REF])
  assert.ok(told.length > 0)
  for (const value of told) assert.deepEqual(value, wrapData(bundleInstallId))
}

async function installed(): Promise<{ scope: Scope; bundleInstallId: string }> {
  const scope = world.newScope()
  return { scope, bundleInstallId: await world.installed(bundle, { scope }) }
}

describe('the instanceRefProperty', () => {
  it('is set at INSTALL to the id of the installation, and never by whoever installs', async () => {
    const { bundleInstallId } = await installed()
    await assertKept(bundleInstallId, [MAIN])
    const body: JsonObject = {
      scope: { ...world.newScope() },
      bundle: { ...bundle.bundle },
      targetVersion: '1.0.0',
      properties: { [MAIN]: wrapped({ [REF]: 'mine' }) },
    }
    assert.equal(
      (await world.http.call('/installations', { method: 'POST', body })).errorCode,
      'PROPERTY_PROTECTED',
    )
  })

  it('is refused in a save, with any value and with none, together with what else is in it', async () => {
    const { scope, bundleInstallId } = await installed()
    const before = await world.configuration(scope)
    for (const value of [wrapData('mine'), wrapData(bundleInstallId), null]) {
      const refused = await world.save(scope, { [MAIN]: { [REF]: value, ...wrapped({ size: 'small' }) } })
      assert.equal(refused.errorCode, 'PROPERTY_PROTECTED')
    }
    const elsewhere = await world.save(scope, { [LATE]: wrapped({ [REF]: 'mine' }) })
    assert.equal(elsewhere.errorCode, 'PROPERTY_PROTECTED')
    assert.deepEqual(await world.configuration(scope), before)
    await assertKept(bundleInstallId, [MAIN])
  })

  it('is refused in an import of the full configuration, and stays when it is absent there', async () => {
    const { scope, bundleInstallId } = await installed()
    const put = async (properties: JsonObject) => {
      const { snapshotVersion } = await world.configuration(scope)
      const body = { snapshotVersion, resources: { [MAIN]: { properties } } }
      return world.http.call(`${placeOf(scope)}/configuration`, { method: 'PUT', body })
    }
    const given = wrapped({ size: 'small', [REF]: bundleInstallId }) as unknown as JsonObject
    assert.equal((await put(given)).errorCode, 'PROPERTY_PROTECTED')
    const imported = await put(wrapped({ size: 'small' }))
    for (const { operationId } of imported.data['operations'] as { operationId: string }[])
      await world.endsWell(operationId)
    await assertKept(bundleInstallId, [MAIN])
  })

  it('is reached by no other spelling of the locator or of its name', async () => {
    const { scope, bundleInstallId } = await installed()
    const before = await world.configuration(scope)
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
      const refused = await world.save(scope, { [locator]: wrapped({ size: 'small' }) })
      assert.match(refused.errorCode, /^(REQUEST_INVALID|RESOURCE_OWNERSHIP_MISSING)$/, locator)
      const named = await world.save(scope, { [locator]: wrapped({ [REF]: 'mine' }) })
      assert.match(named.errorCode, /^(REQUEST_INVALID|PROPERTY_PROTECTED)$/, locator)
    }
    for (const name of [
      'InstanceRefProperty',
      'instanceRefProperty ',
      'instanceRefPropert\u0443',
      'instance.RefProperty',
    ]) {
      const refused = await world.save(scope, { [MAIN]: wrapped({ [name]: 'mine' }) })
      assert.match(refused.errorCode, /^(REQUEST_INVALID|PROPERTY_INVALID)$/, name)
    }
    assert.deepEqual(await world.configuration(scope), before)
    await assertKept(bundleInstallId, [MAIN])
  })

  it('is neither given nor defaulted in an UPGRADE; where it is new the runtime sets it', async () => {
    const { scope, bundleInstallId } = await installed()
    const { snapshotVersion } = await world.configuration(scope)
    const properties = { [MAIN]: wrapped({ [REF]: 'mine' }) } as unknown as JsonObject
    const refused = await world.http.call(`/installations/${bundleInstallId}/upgrade`, {
      method: 'POST',
      body: { targetVersion: '2.0.0', snapshotVersion, properties },
    })
    assert.equal(refused.errorCode, 'PROPERTY_PROTECTED')
    await world.endsWell(await world.upgrade(bundleInstallId, { targetVersion: '2.0.0' }))
    await assertKept(bundleInstallId, [MAIN, LATE, locatorOf(bundle, 'new')])
    const { resources } = await world.configuration(scope)
    assert.deepEqual(resources[LATE]?.properties['size'], wrapData('large'))
    // and back again it stays, as long as the resource does
    await world.endsWell(await world.upgrade(bundleInstallId, { targetVersion: '1.0.0' }))
    await assertKept(bundleInstallId, [MAIN, LATE])
  })

  it('is written by no plugin: such a declaration is not published, and such an answer is invalid', async () => {
    const declared = bundleOf('declared', {
      resources: [moduleOf('main', { [REF]: TEXT })],
      plugins: [bindingOf('referrer', 1, { main: { writes: [REF] } })],
    })
    const answer = await world.http.call('/bundles/source/declared/versions/1.0.0', {
      method: 'PUT',
      body: declared as unknown as JsonObject,
    })
    assert.equal(answer.errorCode, 'MANIFEST_INVALID')

    for (const stage of ['BEFORE_RESOURCES', 'AFTER_RESOURCES'] as const) {
      const { scope, bundleInstallId } = await installed()
      world.plugin.script((call) => ({
        outcome: 'APPLIED',
        resources:
          call.stage === stage ? { [MAIN]: wrapped({ name: 'written', [REF]: bundleInstallId }) } : {},
      }))
      const saved = await world.save(scope, { [MAIN]: wrapped({ size: 'small' }) })
      const [operation] = saved.data['operations'] as { operationId: string }[]
      await world.fails(operation?.operationId ?? '', 'PLUGIN_RESPONSE_INVALID')
      world.plugin.script(() => ({ outcome: 'APPLIED' }))
      const failed = await world.operation(operation?.operationId ?? '')
      await world.retry(failed)
      await world.endsWell(failed.operationId)
      await assertKept(bundleInstallId, [MAIN])
      assert.equal((await world.configuration(scope)).resources[MAIN]?.properties['name'], undefined)
    }
  })

  it('is that of the new installation where the configuration of an old one is copied', async () => {
    const { scope, bundleInstallId } = await installed()
    await world.endsWell(await world.detach(bundleInstallId))
    const again = await world.installed(bundle, { scope, copyFrom: bundleInstallId })
    assert.notEqual(again, bundleInstallId)
    await assertKept(again, [MAIN])
  })

  it('is only data inside a business value', async () => {
    const { scope, bundleInstallId } = await installed()
    const free = bundleOf('free', {
      resources: [moduleOf('main', { value: { kind: 'DATA', schema: { type: 'object' } } })],
    })
    await world.publish(free)
    await world.installed(free, { scope })
    const value = { [REF]: 'mine', inside: [{ [REF]: null }] }
    await world.saved(scope, { [locatorOf(free, 'main')]: { value: wrapData(value) } })
    const { resources } = await world.configuration(scope)
    assert.deepEqual(resources[locatorOf(free, 'main')]?.properties['value'], wrapData(value))
    await assertKept(bundleInstallId, [MAIN])
  })
})
