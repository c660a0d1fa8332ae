import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { until } from '../testing/stream.ts'
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

// Versions that hide a property and versions that show it, in both directions, as often as people like: no value is
// shown, none is lost to the versions that hide it, and the plugin receives exactly what is configured.

const hidden = { ...TEXT, isSensitive: true } as const
const binding = bindingOf('keeper', 1, { main: { reads: ['p', 'other', 'made'], writes: ['made'] } })
const plain = bundleOf('keys', {
  resources: [moduleOf('main', { p: TEXT, made: TEXT })],
  plugins: [binding].map((one) => ({
    ...one,
    resources: one.resources.map((part) => ({ ...part, readProperties: ['p', 'made'] })),
  })),
})
/** Hides `p`, and has one more secret. */
const hiding = bundleOf('keys', {
  version: '2.0.0',
  resources: [
    moduleOf('main', {
      p: hidden,
      other: hidden,
      made: hidden,
    }),
  ],
  plugins: [binding],
})
const MAIN = locatorOf(plain, 'main')
const SET = { '@type': 'Data', isSensitive: true, isSet: true }

let harness: RuleHarness
before(async () => {
  harness = await startRuleHarness()
  await harness.register('keeper')
  await harness.publish(plain, hiding)
})
after(() => harness.close())

/** What the plugin received last, without what it writes itself. */
function received(operationId: string): Record<string, JsonValue | undefined> {
  const properties = harness.callsOf(operationId)[0]?.request.resources[MAIN]?.properties ?? {}
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => name !== 'made')
      .map(([name, value]) => [name, value['@type'] === 'Data' ? value.value : undefined]),
  )
}

const to = async (id: string, targetVersion: string, more: JsonObject = {}) => {
  const operationId = await harness.upgrade(id, { targetVersion, ...more })
  return harness.succeeds(operationId)
}
const planned = (id: string, targetVersion: string) =>
  harness.ok(`/installations/${id}/upgrade/plan`, { method: 'POST', body: { targetVersion } })
const valuesOf = async (scope: Scope) => (await harness.configuration(scope)).resources[MAIN]?.properties

async function install(value = 'hello') {
  harness.plugin.script(() => ({
    outcome: 'APPLIED',
    resources: { [MAIN]: wrapped({ made: 'by the plugin' }) } as unknown as JsonObject,
  }))
  const scope = harness.newScope()
  const id = await harness.installed(plain, { scope, properties: { [MAIN]: wrapped({ p: value }) } })
  return { scope, id }
}

describe('a version that hides a property', () => {
  it('can be installed again after each rollback, and the plugin receives the value each time', async () => {
    const { scope, id } = await install()
    for (let round = 1; round <= 3; round++) {
      const up = await to(id, '2.0.0')
      assert.deepEqual(received(up.operationId), { p: 'hello' }, `round ${round}`)
      assert.deepEqual((await valuesOf(scope))?.['p'], SET)

      const plan = await planned(id, '1.0.0')
      const change = (plan['changes'] as JsonObject[]).find(({ property }) => property === 'p')
      assert.deepEqual([change?.['before'], change?.['isPutAside']], [SET, true])

      const down = await to(id, '1.0.0')
      assert.deepEqual(received(down.operationId), {}, `round ${round}`)
      const aside = down.changes.filter(({ isPutAside }) => isPutAside === true)
      assert.deepEqual(aside.map(({ property }) => property).toSorted(), ['made', 'p'])
      assert.equal((await valuesOf(scope))?.['p'], undefined)
    }
    const [first] = (await harness.ok(`/operations?limit=200&bundleInstallId=${id}`, {}))[
      'items'
    ] as JsonObject[]
    const again = await to(id, '2.0.0')
    // a mark that came later changes nothing about what the rollback did
    const rollback = await harness.operation(String(first?.['operationId']))
    assert.ok(rollback.changes.some(({ property, isPutAside }) => property === 'p' && isPutAside === true))
    assert.ok(!again.changes.some(({ isPutAside }) => isPutAside === true))
    const shown = JSON.stringify([
      await harness.ok(`${placeOf(scope)}/configuration/history?limit=200`, {}),
      await harness.ok(`/audit?limit=200&bundleInstallId=${id}`, {}),
      rollback,
      again,
    ])
    assert.ok(!shown.includes('hello'))
  })

  it('can be installed again in the scope after a rollback and a DETACH, without the old value', async () => {
    const { scope, id } = await install()
    await to(id, '2.0.0')
    await to(id, '1.0.0')
    harness.plugin.script(() => ({ outcome: 'NOT_APPLIED' }))
    await harness.succeeds(await harness.detach(id))
    await install().then(({ id: other }) => to(other, '2.0.0'))
    const later = await harness.install(hiding, { scope, copyFrom: id })
    await harness.succeeds(later.operationId)
    assert.equal(received(later.operationId)['p'], undefined)
    // the value belongs to the installation that is gone
    await to(later.bundleInstallId, '1.0.0')
    const up = await to(later.bundleInstallId, '2.0.0')
    assert.equal(received(up.operationId)['p'], undefined)
  })

  it('is reached by a batch after a rollback', async () => {
    const { id } = await install()
    await to(id, '2.0.0')
    await to(id, '1.0.0')
    const request = { action: 'UPGRADE', input: { targetVersion: '2.0.0' }, targets: [id], concurrency: 1 }
    await harness.ok('/batches', { method: 'POST', body: request })
    await until(async () => (await harness.installation(id)).version === '2.0.0')
    const [last] = (await harness.ok(`/operations?limit=1&bundleInstallId=${id}`, {}))[
      'items'
    ] as JsonObject[]
    assert.equal(received(String(last?.['operationId']))['p'], 'hello')
  })
})

describe('a value that a rollback put aside', () => {
  it('gives way to what a person has set or removed since', async () => {
    const { scope, id } = await install()
    await to(id, '2.0.0')
    await to(id, '1.0.0')
    await harness.saved(scope, { [MAIN]: wrapped({ p: 'newer' }) })
    assert.equal(received((await to(id, '2.0.0')).operationId)['p'], 'newer')
    await to(id, '1.0.0')
    await harness.saved(scope, { [MAIN]: wrapped({ p: 'shown' }) })
    await harness.saved(scope, { [MAIN]: { p: null } })
    assert.equal(received((await to(id, '2.0.0')).operationId)['p'], undefined)
  })

  it('gives way to a value that comes with the upgrade, and to its removal', async () => {
    const { scope, id } = await install()
    await to(id, '2.0.0')
    await to(id, '1.0.0')
    const { snapshotVersion } = await harness.configuration(scope)
    const removed = { snapshotVersion, properties: { [MAIN]: { p: null } } }
    assert.equal(received((await to(id, '2.0.0', removed)).operationId)['p'], undefined)
    await to(id, '1.0.0')

    const other = await install()
    await to(other.id, '2.0.0')
    await to(other.id, '1.0.0')
    const given = {
      snapshotVersion: (await harness.configuration(other.scope)).snapshotVersion,
      properties: { [MAIN]: wrapped({ p: 'given' }) } as unknown as JsonObject,
    }
    assert.equal(received((await to(other.id, '2.0.0', given)).operationId)['p'], 'given')
  })

  it('is the value of a person: a property that only the newer version has keeps it too', async () => {
    const { scope, id } = await install()
    await to(id, '2.0.0')
    await harness.saved(scope, { [MAIN]: wrapped({ other: 'typed once' }) })
    await to(id, '1.0.0')
    assert.deepEqual(received((await to(id, '2.0.0')).operationId), { p: 'hello', other: 'typed once' })
  })
})
