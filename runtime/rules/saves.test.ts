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
  startRuleHarness,
  TEXT,
  wrapped,
} from '../testing/rules.ts'
import type { RuleHarness } from '../testing/rules.ts'

// Saves: over several owners, of resources without a plugin, and with broken declarations of other bundles; and local
// services.

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

let harness: RuleHarness
before(async () => {
  harness = await startRuleHarness({ rateLimit: { perSecond: 1e6, burst: 1e6 } })
  await harness.register('crm-plugin', 'shop-plugin', 'bystander-plugin')
  await harness.publish(crm, shop, bystander, unplugged)
})
after(() => harness.close())
beforeEach(() => harness.plugin.script(() => ({ outcome: 'APPLIED' })))

describe('a save over several owners', () => {
  it('is one snapshot with one CONFIGURE of each owner over all its resources, and of no one else', async () => {
    const scope = harness.newScope()
    const installs = [
      await harness.installed(crm, {
        scope,
        properties: { [locatorOf(crm, 'main')]: wrapped({ other: 'kept' }) },
      }),
      await harness.installed(shop, { scope }),
    ]
    await harness.installed(bystander, { scope })
    const before = await harness.configuration(scope)

    const answer = await harness.save(scope, {
      [locatorOf(crm, 'main')]: wrapped({ name: 'one' }),
      [locatorOf(shop, 'beside')]: wrapped({ name: 'two' }),
    })
    assert.equal(answer.errorCode, '0', JSON.stringify(answer.json))
    assert.equal(answer.data['snapshotVersion'], before.snapshotVersion + 1)
    const started = answer.data['operations'] as { operationId: string }[]
    const operations = await Promise.all(started.map(({ operationId }) => harness.succeeds(operationId)))

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
    // the plugin of an unchanged resource is called too, with the current values
    const calls = started.flatMap(({ operationId }) => harness.callsOf(operationId))
    assert.deepEqual(calls.map(({ pluginId, stage }) => `${pluginId} ${stage}`).toSorted(), [
      'crm-plugin AFTER_RESOURCES',
      'crm-plugin BEFORE_RESOURCES',
      'shop-plugin AFTER_RESOURCES',
      'shop-plugin BEFORE_RESOURCES',
    ])
    const seen = calls.find(({ pluginId }) => pluginId === 'crm-plugin')?.request.resources
    assert.deepEqual(seen?.[locatorOf(crm, 'main')]?.properties, wrapped({ name: 'one', other: 'kept' }))
  })

  it('is refused entirely when one owner is claimed, and a save of the others succeeds', async () => {
    const scope = harness.newScope()
    await harness.installed(crm, { scope })
    await harness.installed(shop, { scope })
    harness.plugin.script(({ pluginId }) => ({ outcome: pluginId === 'crm-plugin' ? 'FAILED' : 'APPLIED' }))
    const first = await harness.save(scope, { [locatorOf(crm, 'main')]: wrapped({ name: 'a' }) })
    const [failed] = first.data['operations'] as { operationId: string }[]
    await harness.fails(failed?.operationId ?? '', 'PLUGIN_REPORTED_FAILURE')

    const both = {
      [locatorOf(crm, 'main')]: wrapped({ name: 'b' }),
      [locatorOf(shop, 'main')]: wrapped({ name: 'b' }),
    }
    const before = await harness.configuration(scope)
    assert.equal((await harness.save(scope, both)).errorCode, 'OPERATION_CLAIM_HELD')
    assert.deepEqual(await harness.configuration(scope), before)
    await harness.saved(scope, { [locatorOf(shop, 'main')]: wrapped({ name: 'b' }) })
  })
})

describe('a save beside broken declarations', () => {
  // the possible content of a row of an unrelated bundle
  const GARBAGE = [
    'null',
    '[]',
    '"text"',
    '{"plugins": null}',
    '{"plugins": [null, 7, {"pluginId": ["?"]}]}',
    '{"plugins": [{"pluginId": "crm-plugin", "order": "last"}], "resources": {"x": 1}}',
    '{"bundle": {}, "plugins": {"__proto__": {}}}',
  ]

  it('reads only the declarations of the owners, whatever all others contain', async () => {
    const scope = harness.newScope()
    await harness.installed(crm, { scope })
    await harness.installed(shop, { scope })
    await harness.installed(bystander, { scope })
    const ofOthers = sql`bundle_id not in ('crm', 'shop')`
    const stored = await sql<{ bundle_id: string; version: string; manifest: JsonObject }>`
      select bundle_id, version, manifest from runtime.bundle_version where ${ofOthers}`.execute(harness.db)
    assert.ok(stored.rows.length >= 2)
    for (const [turn, garbage] of GARBAGE.entries()) {
      await sql`update runtime.bundle_version set manifest = ${garbage} where ${ofOthers}`.execute(harness.db)
      const operations = await harness.saved(scope, {
        [locatorOf(crm, 'main')]: wrapped({ name: `crm ${turn}` }),
        [locatorOf(shop, 'main')]: wrapped({ name: `shop ${turn}` }),
      })
      assert.equal(operations.length, 2)
    }
    const { snapshotVersion } = await harness.configuration(scope)
    const body = { snapshotVersion, changes: { [locatorOf(crm, 'main')]: wrapped({ name: 'planned' }) } }
    const plan = await harness.ok(`${placeOf(scope)}/configuration/plan`, { method: 'POST', body })
    assert.deepEqual(plan['problems'], [])
    const full = {
      snapshotVersion,
      resources: { [locatorOf(crm, 'main')]: { properties: wrapped({ name: 'full' }) } },
    }
    await harness.ok(`${placeOf(scope)}/configuration`, { method: 'PUT', body: full })

    // a broken declaration of the owner itself is read and reported
    const refused = await harness.save(scope, { [locatorOf(bystander, 'main')]: wrapped({ name: 'a' }) })
    assert.equal(refused.errorCode, 'MANIFEST_INVALID')
    for (const { bundle_id, version, manifest } of stored.rows)
      await sql`update runtime.bundle_version set manifest = ${JSON.stringify(manifest)}
        where bundle_id = ${bundle_id} and version = ${version}`.execute(harness.db)
    await harness.saved(scope, { [locatorOf(bystander, 'main')]: wrapped({ name: 'a' }) })
  })
})

describe('resources without a plugin', () => {
  it('of every kind are installed, configured and detached without a call', async () => {
    const scope = harness.newScope()
    const bundleInstallId = await harness.installed(unplugged, { scope })
    const changes = {
      [locatorOf(unplugged, 'main')]: wrapped({ name: 'a' }),
      [locatorOf(unplugged, 'public', 'GATEWAY')]: wrapped({ domain: 'shop.example.org' }),
      [locatorOf(unplugged, 'guide', 'AGENT')]: wrapped({ prompt: 'be kind' }),
      [locatorOf(unplugged, 'nightly', 'TIMER')]: wrapped({ cron: '0 3 * * *' }),
    }
    const [operationId = ''] = await harness.saved(scope, changes)
    const operation = await harness.operation(operationId)
    assert.deepEqual(
      operation.stages.map(({ calls }) => calls),
      [[], []],
    )
    const { resources } = await harness.installation(bundleInstallId)
    assert.deepEqual(
      Object.fromEntries(resources.map(({ locator, properties }) => [locator, properties])),
      changes,
    )
    await harness.succeeds(await harness.detach(bundleInstallId))
    assert.deepEqual((await harness.installation(bundleInstallId)).resources, [])
    assert.deepEqual((await harness.configuration(scope)).resources, {})
    assert.equal(
      harness.plugin.calls.filter(({ request }) => request.installation.bundleInstallId === bundleInstallId)
        .length,
      0,
    )
  })
})

describe('a schedule', () => {
  const timed = bundleOf('timed', {
    resources: [
      {
        kind: 'TIMER',
        name: 'nightly',
        title: 'Timer',
        properties: {
          cron: { kind: 'DATA', schema: { type: 'string', format: 'cron' } },
          timeZone: { kind: 'DATA', schema: { type: 'string', format: 'time-zone' } },
        },
      },
    ],
  })

  it('that is not valid, or in a zone that does not exist, is refused in the plan and in the save', async () => {
    await harness.publish(timed)
    const scope = harness.newScope()
    await harness.installed(timed, { scope })
    const locator = locatorOf(timed, 'nightly', 'TIMER')
    const { snapshotVersion } = await harness.configuration(scope)
    const refused = { [locator]: wrapped({ cron: '61 25 * * *', timeZone: 'Europe/Nowhere' }) }

    const plan = await harness.http.call(`${placeOf(scope)}/configuration/plan`, {
      method: 'POST',
      body: { snapshotVersion, changes: refused },
    })
    const problems = plan.data['problems'] as { property: string; errorCode: string; message: string }[]
    assert.deepEqual(
      problems.map(({ property, errorCode, message }) => [property, errorCode, message]),
      [
        ['cron', 'PROPERTY_INVALID', 'Must be a schedule of five fields such as 30 2 * * 1-5'],
        [
          'timeZone',
          'PROPERTY_INVALID',
          'Must be a name of the IANA time zone database such as Europe/Berlin',
        ],
      ],
    )
    assert.equal((await harness.save(scope, refused)).errorCode, 'PROPERTY_INVALID')
    await harness.saved(scope, { [locator]: wrapped({ cron: '30 2 * * 1-5', timeZone: 'Europe/Berlin' }) })
  })
})

describe('a local service', () => {
  it('is saved with its own version, without an operation, installation or snapshot', async () => {
    const scope = harness.newScope()
    await harness.installed(crm, { scope })
    const before = await harness.configuration(scope)
    const path = `${placeOf(scope)}/local-services/search`
    const put = (version: number, values: JsonObject) =>
      harness.http.call(path, { method: 'PUT', body: { version, values } })
    assert.equal((await put(0, { url: 'a' })).data['version'], 1)
    assert.equal((await put(0, { url: 'b' })).errorCode, 'LOCAL_SERVICE_STALE')
    const both = await Promise.all([put(1, { url: 'c' }), put(1, { url: 'd' })])
    assert.deepEqual(both.map(({ errorCode }) => errorCode).toSorted(), ['0', 'LOCAL_SERVICE_STALE'])
    assert.equal((await put(2, { instanceRefProperty: 'x' })).errorCode, 'PROPERTY_PROTECTED')
    assert.equal((await put(2, { inside: { instanceRefProperty: 'x' } })).data['version'], 3)

    assert.deepEqual(await harness.configuration(scope), before)
    const place = `environmentKey=prod&applicationRuntimeId=shop&workspaceId=${scope.workspaceId}`
    const count = async (list: string) =>
      ((await harness.ok(`/${list}?${place}`, {}))['items'] as unknown[]).length
    assert.deepEqual([await count('operations'), await count('installations')], [1, 1])
  })

  it('in a scope without installations creates no installation either', async () => {
    const scope = harness.newScope()
    const body = { version: 0, values: { deep: wrapData(1) as unknown as JsonObject } }
    await harness.ok(`${placeOf(scope)}/local-services/search`, { method: 'PUT', body })
    const { snapshotVersion, resources } = await harness.configuration(scope)
    assert.deepEqual([snapshotVersion, resources], [1, {}])
  })
})

describe('a scope with as many values as people can read', () => {
  it('takes no more of them, only fewer (J01)', async () => {
    const newer = { ...crm, version: '2.0.0' }
    await harness.publish(newer)
    const scope = harness.newScope()
    const MAIN = { crm: locatorOf(crm, 'main'), shop: locatorOf(shop, 'main') }
    const bundleInstallId = await harness.installed(crm, { scope })
    await harness.installed(shop, { scope, properties: { [MAIN.shop]: wrapped({ name: 'before' }) } })
    await sql`
      update runtime.configuration_property set value = jsonb_set(value, '{value}', to_jsonb(repeat('x', 16777150)))
      where locator = ${MAIN.shop} and property = 'name' and scope_id =
        (select scope_id from runtime.installation where bundle_install_id = ${bundleInstallId})`.execute(
      harness.db,
    )
    const { snapshotVersion } = await harness.configuration(scope)
    const more = { [MAIN.crm]: wrapped({ name: 'x'.repeat(100) }) }
    const installing = { bundle: { ...bystander.bundle }, targetVersion: bystander.version }
    const properties = { [locatorOf(bystander, 'main')]: wrapped({ name: 'x'.repeat(100) }) }
    const calls: [string, string, JsonObject][] = [
      ['PATCH', `${placeOf(scope)}/configuration`, { snapshotVersion, changes: more }],
      ['POST', '/installations', { scope: { ...scope }, ...installing, properties }],
      [
        'POST',
        `/installations/${bundleInstallId}/upgrade`,
        { targetVersion: '2.0.0', snapshotVersion, properties: more },
      ],
    ]
    for (const [method, path, body] of calls) {
      const refused = await harness.http.call(path, { method, body })
      assert.equal(refused.errorCode, 'REQUEST_INVALID', path)
      assert.match(JSON.stringify(refused.json), /"reason":"scopeFull"/)
    }
    await harness.saved(scope, { [MAIN.shop]: wrapped({ name: 'short' }) })
    await harness.saved(scope, more)
  })
})
