import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { wrapData } from '#contract/protocol/data.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { bindingOf, bundleOf, locatorOf, moduleOf, startRuleHarness } from '../testing/rules.ts'
import type { RuleHarness } from '../testing/rules.ts'

// docs/runtime-api.md#order-of-keys

const any = { kind: 'DATA', schema: {} } as const
const shaped = {
  kind: 'DATA',
  schema: {
    type: 'object',
    properties: { volumes: {}, enabled: {}, a: { properties: { zone: {}, id: {} } } },
  },
} as const
const bundle = bundleOf('ordered', {
  resources: [moduleOf('main', { free: any, shaped, made: any })],
  plugins: [bindingOf('ordering', 1, { main: { reads: ['free', 'shaped', 'made'], writes: ['made'] } })],
})
const hiding = {
  ...bundle,
  version: '2.0.0',
  resources: [moduleOf('main', { free: { ...any, isSensitive: true }, shaped, made: any })],
}
const MAIN = locatorOf(bundle, 'main')
const FREE: JsonValue = {
  volumes: [{ zz: 1, a: 2 }, 'x', [{ y: 1, b: 2 }]],
  on: { bb: null, a: {} },
  漢: 1,
  é: 2,
  z: 3,
}
const MADE: JsonValue = { longer: 1, b: 2, a: 3 }

let harness: RuleHarness
before(async () => {
  harness = await startRuleHarness()
  await harness.register('ordering')
  await harness.publish(bundle, hiding)
  harness.plugin.script(() => ({
    outcome: 'APPLIED',
    resources: { [MAIN]: { made: { '@type': 'Data', value: MADE } } },
  }))
})
after(() => harness.close())

async function started() {
  const scope = harness.newScope()
  const properties = {
    free: wrapData(FREE),
    shaped: wrapData({ z: 1, a: { id: 1, zone: 2 }, y: 2, enabled: 3, volumes: 4 }),
  }
  const bundleInstallId = await harness.installed(bundle, { scope, properties: { [MAIN]: properties } })
  const value = async (property: string) => {
    const view = (await harness.configuration(scope)).resources[MAIN]?.properties[property]
    return view?.['@type'] === 'Data' && 'value' in view ? JSON.stringify(view.value) : view
  }
  return { scope, bundleInstallId, value }
}

describe('the keys of a value', () => {
  it('come back in the order of the schema, and otherwise as they were written', async () => {
    const { value } = await started()
    assert.equal(await value('free'), JSON.stringify(FREE))
    assert.equal(await value('shaped'), '{"volumes":4,"enabled":3,"a":{"zone":2,"id":1},"z":1,"y":2}')
    assert.equal(await value('made'), JSON.stringify(MADE))
  })

  it('reach the plugin in the same order, in the first call and in a later operation', async () => {
    const { scope, bundleInstallId } = await started()
    await harness.saved(scope, { [MAIN]: { shaped: wrapData({ enabled: 1, q: 2, volumes: 3 }) } })
    const bodies = harness.plugin.calls
      .filter(({ request }) => request.installation.bundleInstallId === bundleInstallId)
      .map(({ body }) => body)
    assert.equal(bodies.length >= 2, true)
    for (const body of bodies) assert.ok(body.includes(JSON.stringify(FREE)), body)
    assert.ok(bodies.at(-1)?.includes('{"volumes":3,"enabled":1,"q":2}'))
    assert.ok(bodies.at(-1)?.includes(JSON.stringify(MADE)))
  })

  it('are not a change when only their order differs, and take the new order with a change', async () => {
    const { scope, value } = await started()
    const { snapshotVersion } = await harness.configuration(scope)
    await harness.saved(scope, { [MAIN]: { free: wrapData({ z: 3, é: 2, ...(FREE as object) }) } })
    assert.equal((await harness.configuration(scope)).snapshotVersion, snapshotVersion)
    assert.equal(await value('free'), JSON.stringify(FREE))
    const next = { longest: 1, b: { d: 1, c: 2 }, a: 2 }
    await harness.saved(scope, { [MAIN]: { free: wrapData(next) } })
    assert.equal(await value('free'), JSON.stringify(next))
  })

  it('are not kept outside of the value once it is sealed', async () => {
    const { scope, bundleInstallId, value } = await started()
    const rows = () =>
      harness.db
        .selectFrom('runtime.configuration_property')
        .select(['property', 'key_order'])
        .where('bundle_install_id', '=', bundleInstallId)
        .where('property', '=', 'free')
        .execute()
    assert.notEqual((await rows())[0]?.key_order, null)
    await harness.succeeds(await harness.upgrade(bundleInstallId, { targetVersion: '2.0.0' }))
    assert.deepEqual(await rows(), [{ property: 'free', key_order: null }])
    assert.deepEqual(await value('free'), { '@type': 'Data', isSensitive: true, isSet: true })
    await harness.saved(scope, { [MAIN]: { free: wrapData({ secret: 1, a: 2 }) } })
    assert.deepEqual(await rows(), [{ property: 'free', key_order: null }])
  })
})
