import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { wrapData } from '#contract/protocol/data.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
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

// A save: over several owners, of resources without a plugin, beside broken declarations of others; and local services.

const text = TEXT
const plugged = (bundleId: string) =>
  bundleOf(bundleId, {
    resources: [moduleOf('main', { name: text, other: text }), moduleOf('beside', { name: text })],
    plugins: [bindingOf(`${bundleId}-plugin`, 1, { main: { reads: ['name', 'other'] } })],
  })
const crm = plugged('crm')
const shop = plugged('shop')
const bystander = plugged('bystander')
const unplugged = bundleOf('unplugged', {
  resources: [
    moduleOf('main', { name: text }),
    { kind: 'GATEWAY', name: 'public', title: 'Gateway', properties: { domain: text } },
    { kind: 'AGENT', name: 'guide', title: 'Agent', properties: { prompt: text } },
    { kind: 'TIMER', name: 'nightly', title: 'Timer', properties: { cron: text } },
  ],
})

let world: RuleWorld
before(async () => {
  world = await ruleWorld()
  await world.register('crm-plugin', 'shop-plugin', 'bystander-plugin')
  await world.publish(crm, shop, bystander, unplugged)
})
after(() => world.close())
beforeEach(() => world.plugin.script(() => ({ outcome: 'APPLIED' })))

describe('a save over several owners', () => {
  it('is one snapshot with one CONFIGURE of each owner over its whole scope, and of nobody else', async () => {
    const scope = world.newScope()
    const installs = [
      await world.installed(crm, {
        scope,
        properties: { [locatorOf(crm, 'main')]: wrapped({ other: 'kept' }) },
      }),
      await world.installed(shop, { scope }),
    ]
    await world.installed(bystander, { scope })
    const before = await world.configuration(scope)

    const answer = await world.save(scope, {
      [locatorOf(crm, 'main')]: wrapped({ name: 'one' }),
      [locatorOf(shop, 'beside')]: wrapped({ name: 'two' }),
    })
    assert.equal(answer.errorCode, '0', JSON.stringify(answer.json))
    assert.equal(answer.data['snapshotVersion'], before.snapshotVersion + 1)
    const started = answer.data['operations'] as { operationId: string }[]
    const operations = await Promise.all(started.map(({ operationId }) => world.endsWell(operationId)))

    assert.deepEqual(
      operations.map(({ installation }) => installation.bundleInstallId).toSorted(),
      installs.toSorted(),
    )
    for (const { operationType, currentVersion, targetVersion, resources, installation } of operations) {
      assert.deepEqual([operationType, currentVersion, targetVersion], ['CONFIGURE', '1.0.0', '1.0.0'])
      const changed = installation.bundle.bundleId === 'crm' ? 'main' : 'beside'
      assert.deepEqual(
        resources.map(({ locator, action }) => [locator.split('/').at(-1), action]),
        [
          ['beside', changed === 'beside' ? 'CONFIGURE' : 'NONE'],
          ['main', changed === 'main' ? 'CONFIGURE' : 'NONE'],
        ],
      )
    }
    // also the plugin of a resource that did not change is called, with its values as they stand
    const calls = started.flatMap(({ operationId }) => world.callsOf(operationId))
    assert.deepEqual(calls.map(({ pluginId, stage }) => `${pluginId} ${stage}`).toSorted(), [
      'crm-plugin AFTER_RESOURCES',
      'crm-plugin BEFORE_RESOURCES',
      'shop-plugin AFTER_RESOURCES',
      'shop-plugin BEFORE_RESOURCES',
    ])
    const seen = calls.find(({ pluginId }) => pluginId === 'crm-plugin')?.request.resources
    assert.deepEqual(seen?.[locatorOf(crm, 'main')]?.properties, wrapped({ name: 'one', other: 'kept' }))
  })

  it('is refused whole when one owner is claimed, and a save of the others goes on', async () => {
    const scope = world.newScope()
    await world.installed(crm, { scope })
    await world.installed(shop, { scope })
    world.plugin.script(({ pluginId }) => ({ outcome: pluginId === 'crm-plugin' ? 'FAILED' : 'APPLIED' }))
    const first = await world.save(scope, { [locatorOf(crm, 'main')]: wrapped({ name: 'a' }) })
    const [failed] = first.data['operations'] as { operationId: string }[]
    await world.fails(failed?.operationId ?? '', 'PLUGIN_REPORTED_FAILURE')

    const both = {
      [locatorOf(crm, 'main')]: wrapped({ name: 'b' }),
      [locatorOf(shop, 'main')]: wrapped({ name: 'b' }),
    }
    const before = await world.configuration(scope)
    assert.equal((await world.save(scope, both)).errorCode, 'OPERATION_CLAIM_HELD')
    assert.deepEqual(await world.configuration(scope), before)
    await world.saved(scope, { [locatorOf(shop, 'main')]: wrapped({ name: 'b' }) })
  })
})

describe('a save beside broken declarations', () => {
  // what may lie in the row of a bundle that nobody asked about
  const GARBAGE = [
    'null',
    '[]',
    '"text"',
    '{"plugins": null}',
    '{"plugins": [null, 7, {"pluginId": ["?"]}]}',
    '{"plugins": [{"pluginId": "crm-plugin", "order": "last"}], "resources": {"x": 1}}',
    '{"bundle": {}, "plugins": {"__proto__": {}}}',
  ]

  it('reads the declarations of the owners alone, whatever lies in every other one', async () => {
    const scope = world.newScope()
    await world.installed(crm, { scope })
    await world.installed(shop, { scope })
    await world.installed(bystander, { scope })
    const ofOthers = sql`bundle_id not in ('crm', 'shop')`
    const kept = await sql<{ bundle_id: string; version: string; manifest: JsonObject }>`
      select bundle_id, version, manifest from runtime.bundle_version where ${ofOthers}`.execute(world.db)
    assert.ok(kept.rows.length >= 2)
    for (const [turn, garbage] of GARBAGE.entries()) {
      await sql`update runtime.bundle_version set manifest = ${garbage} where ${ofOthers}`.execute(world.db)
      const operations = await world.saved(scope, {
        [locatorOf(crm, 'main')]: wrapped({ name: `crm ${turn}` }),
        [locatorOf(shop, 'main')]: wrapped({ name: `shop ${turn}` }),
      })
      assert.equal(operations.length, 2)
    }
    const { snapshotVersion } = await world.configuration(scope)
    const body = { snapshotVersion, changes: { [locatorOf(crm, 'main')]: wrapped({ name: 'planned' }) } }
    const plan = await world.ok(`${placeOf(scope)}/configuration/plan`, { method: 'POST', body })
    assert.deepEqual(plan['problems'], [])
    const full = {
      snapshotVersion,
      resources: { [locatorOf(crm, 'main')]: { properties: wrapped({ name: 'full' }) } },
    }
    await world.ok(`${placeOf(scope)}/configuration`, { method: 'PUT', body: full })

    // the one of the owner itself is read, and told
    const refused = await world.save(scope, { [locatorOf(bystander, 'main')]: wrapped({ name: 'a' }) })
    assert.equal(refused.errorCode, 'MANIFEST_INVALID')
    for (const { bundle_id, version, manifest } of kept.rows)
      await sql`update runtime.bundle_version set manifest = ${JSON.stringify(manifest)}
        where bundle_id = ${bundle_id} and version = ${version}`.execute(world.db)
    await world.saved(scope, { [locatorOf(bystander, 'main')]: wrapped({ name: 'a' }) })
  })
})

describe('resources without a plugin', () => {
  it('are installed, configured and detached, of every kind, and nobody is called', async () => {
    const scope = world.newScope()
    const bundleInstallId = await world.installed(unplugged, { scope })
    const changes = {
      [locatorOf(unplugged, 'main')]: wrapped({ name: 'a' }),
      [locatorOf(unplugged, 'public', 'GATEWAY')]: wrapped({ domain: 'shop.example.org' }),
      [locatorOf(unplugged, 'guide', 'AGENT')]: wrapped({ prompt: 'be kind' }),
      [locatorOf(unplugged, 'nightly', 'TIMER')]: wrapped({ cron: '0 3 * * *' }),
    }
    const [operationId = ''] = await world.saved(scope, changes)
    const operation = await world.operation(operationId)
    assert.deepEqual(
      operation.stages.map(({ calls }) => calls),
      [[], []],
    )
    const { resources } = await world.installation(bundleInstallId)
    assert.deepEqual(
      Object.fromEntries(resources.map(({ locator, properties }) => [locator, properties])),
      changes,
    )
    await world.endsWell(await world.detach(bundleInstallId))
    assert.deepEqual((await world.installation(bundleInstallId)).resources, [])
    assert.deepEqual((await world.configuration(scope)).resources, {})
    assert.equal(
      world.plugin.calls.filter(({ request }) => request.installation.bundleInstallId === bundleInstallId)
        .length,
      0,
    )
  })
})

describe('a local service', () => {
  it('is saved by its own version, and is no operation, no installation and no snapshot', async () => {
    const scope = world.newScope()
    await world.installed(crm, { scope })
    const before = await world.configuration(scope)
    const path = `${placeOf(scope)}/local-services/search`
    const put = (version: number, values: JsonObject) =>
      world.http.call(path, { method: 'PUT', body: { version, values } })
    assert.equal((await put(0, { url: 'a' })).data['version'], 1)
    assert.equal((await put(0, { url: 'b' })).errorCode, 'LOCAL_SERVICE_STALE')
    const both = await Promise.all([put(1, { url: 'c' }), put(1, { url: 'd' })])
    assert.deepEqual(both.map(({ errorCode }) => errorCode).toSorted(), ['0', 'LOCAL_SERVICE_STALE'])
    assert.equal((await put(2, { instanceRefProperty: 'x' })).errorCode, 'PROPERTY_PROTECTED')
    assert.equal((await put(2, { inside: { instanceRefProperty: 'x' } })).data['version'], 3)

    assert.deepEqual(await world.configuration(scope), before)
    const place = `environmentKey=prod&applicationRuntimeId=shop&workspaceId=${scope.workspaceId}`
    const count = async (list: string) =>
      ((await world.ok(`/${list}?${place}`, {}))['items'] as unknown[]).length
    assert.deepEqual([await count('operations'), await count('installations')], [1, 1])
  })

  it('of a scope in which nothing is installed makes no installation either', async () => {
    const scope = world.newScope()
    const body = { version: 0, values: { deep: wrapData(1) as unknown as JsonObject } }
    await world.ok(`${placeOf(scope)}/local-services/search`, { method: 'PUT', body })
    const { snapshotVersion, resources } = await world.configuration(scope)
    assert.deepEqual([snapshotVersion, resources], [1, {}])
  })
})
