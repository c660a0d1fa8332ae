import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { RefusedWrite } from '#contract/runtime-api/operations.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { wrapData } from '#contract/protocol/data.ts'
import { bindingOf, bundleOf, locatorOf, moduleOf, startRuleHarness, TEXT } from '../testing/rules.ts'
import type { RuleHarness } from '../testing/rules.ts'

// Two plugins on three Modules. `intruder` really sends writes that belong to others.
const bundle = bundleOf('permits', {
  resources: [
    moduleOf('main', {
      name: TEXT,
      tenantId: TEXT,
      note: TEXT,
      instanceRefProperty: { kind: 'DATA', schema: { type: 'string' } },
    }),
    moduleOf('side', { color: TEXT }),
  ],
  plugins: [
    bindingOf('owner', 1, { side: { reads: ['color'] }, main: { writes: ['tenantId'] } }),
    bindingOf('intruder', 2, { main: { reads: ['name'], writes: ['note'] } }),
  ],
})
const MAIN = locatorOf(bundle, 'main')
const SIDE = locatorOf(bundle, 'side')
const OWN_LIST = '/plugins/1/resources/0/writeProperties'
const RESOURCES = '/plugins/1/resources'

let deps: RuleHarness
before(async () => {
  deps = await startRuleHarness()
  await deps.register('owner', 'intruder')
  await deps.publish(bundle)
})
after(() => deps.close())

/** What an INSTALL says about the writes of `intruder` in a stage. */
async function refused(resources: JsonValue, stage = 'BEFORE_RESOURCES') {
  deps.plugin.script((call) =>
    call.pluginId === 'intruder' && call.stage === stage
      ? { outcome: 'APPLIED', resources }
      : { outcome: 'APPLIED' },
  )
  const { operationId } = await deps.install(bundle, { scope: deps.newScope() })
  const failed = await deps.fails(operationId, 'PLUGIN_RESPONSE_INVALID')
  assert.equal(failed.nextStep.action, 'FIX_RESPONSE')
  const receipt = await deps.ok(`/operations/${operationId}/receipt`, {})
  const write = RefusedWrite.parse(failed.refusedWrite)
  assert.deepEqual((receipt['operation'] as { refusedWrite?: unknown }).refusedWrite, write)
  return write
}
const write = (locator: string, property: string) => ({ [locator]: { [property]: wrapData('x') } })
const permitted = { readProperties: ['name'], writeProperties: ['note'], credentialProperties: [] }
const manifest = { bundle: bundle.bundle, version: '1.0.0' }
const common = { pluginId: 'intruder', stage: 'BEFORE_RESOURCES', manifest }

describe('a refused write is traced', () => {
  it('to the plugin that may write the property, and to its place in the manifest', async () => {
    assert.deepEqual(await refused(write(MAIN, 'tenantId'), 'AFTER_RESOURCES'), {
      ...common,
      stage: 'AFTER_RESOURCES',
      rule: 'PROPERTY_NOT_AUTHORIZED',
      locator: MAIN,
      property: 'tenantId',
      permitted,
      writer: { pluginId: 'owner', manifestPath: '/plugins/0/resources/1/writeProperties/0' },
      manifestPath: OWN_LIST,
    })
  })

  it('to nobody if no plugin may write the property', async () => {
    const { writer, property } = await refused(write(MAIN, 'name'))
    assert.deepEqual([writer, property], [null, 'name'])
  })

  it('to a resource outside of the authorization', async () => {
    assert.deepEqual(await refused(write(SIDE, 'color')), {
      ...common,
      rule: 'RESOURCE_NOT_AUTHORIZED',
      locator: SIDE,
      property: 'color',
      permitted: null,
      writer: null,
      manifestPath: RESOURCES,
    })
    const { rule, property } = await refused(write(SIDE, 'secret-name'))
    assert.deepEqual([rule, property], ['RESOURCE_NOT_AUTHORIZED', null])
  })

  it('without names that only the plugin knows', async () => {
    const nothing = { ...common, property: null, writer: null }
    assert.deepEqual(await refused(write(MAIN, 'secret-name')), {
      ...nothing,
      rule: 'PROPERTY_UNKNOWN',
      locator: MAIN,
      permitted,
      manifestPath: OWN_LIST,
    })
    assert.deepEqual(await refused(write('source/permits/MODULE/secret-name', 'a')), {
      ...nothing,
      rule: 'RESOURCE_UNKNOWN',
      locator: null,
      permitted: null,
      manifestPath: RESOURCES,
    })
    const { rule, property } = await refused(write(MAIN, 'instanceRefProperty'))
    assert.deepEqual([rule, property], ['PROPERTY_PROTECTED', null])
  })

  it('not if the response was refused for another reason', async () => {
    deps.plugin.script(() => ({
      outcome: 'APPLIED',
      resources: write(MAIN, 'note'),
      echo: { executionSequence: 9 },
    }))
    const { operationId } = await deps.install(bundle, { scope: deps.newScope() })
    const failed = await deps.fails(operationId, 'PLUGIN_RESPONSE_INVALID')
    assert.equal(failed.refusedWrite, null)
  })
})
