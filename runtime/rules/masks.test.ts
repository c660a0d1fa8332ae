import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { wrapData, wrapSensitive } from '#contract/protocol/data.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { TestAnswer } from '../testing/http.ts'
import { bundleOf, locatorOf, moduleOf, placeOf, startRuleHarness, TEXT, wrapped } from '../testing/rules.ts'
import type { RuleHarness } from '../testing/rules.ts'

// A mask is never a value: on no path may it replace the secret that it represents. Nor does anything else ask what that is.

const secret = { ...TEXT, isSensitive: true } as const
const account = { kind: 'DATA', schema: { type: 'object' }, isSensitive: true } as const
const vault = bundleOf('vault', {
  resources: [moduleOf('main', { note: TEXT, password: secret, account })],
})
const shown = bundleOf('shown', { resources: [moduleOf('main', { password: TEXT })] })
const hidden = bundleOf('shown', {
  version: '2.0.0',
  resources: [moduleOf('main', { password: secret })],
})
const MAIN = locatorOf(vault, 'main')

const MASKS: { property: string; value: JsonValue }[] = [
  { property: 'password', value: '••••••••' },
  { property: 'password', value: '********' },
  { property: 'password', value: ' •••• ' },
  { property: 'account', value: { user: 'me', password: '••••••••' } },
  { property: 'account', value: { keys: [{ value: '****' }] } },
]

let harness: RuleHarness
let scope: Scope
let bundleInstallId: string
before(async () => {
  harness = await startRuleHarness()
  await harness.publish(vault, shown, hidden)
  scope = harness.newScope()
  const properties = wrapped({ password: 'a real secret', account: { user: 'me' }, note: 'x' })
  bundleInstallId = await harness.installed(vault, { scope, properties: { [MAIN]: properties } })
})
after(() => harness.close())

function assertRefused(answer: TestAnswer, property: string): void {
  assert.equal(answer.errorCode, 'PROPERTY_INVALID', JSON.stringify(answer.json))
  const [detail, ...more] = answer.data['details'] as JsonObject[]
  assert.deepEqual(more, [])
  assert.equal(detail?.['property'], property)
  assert.match(String(detail?.['message']), /not a mask/)
  assert.equal(detail?.['path'], undefined, 'the keys of a sensitive value are not named either')
}

describe('a mask for a sensitive property is PROPERTY_INVALID', () => {
  it('in a save, a plan and a full configuration, and nothing changes', async () => {
    const before = await harness.configuration(scope)
    const { snapshotVersion } = before
    for (const { property, value } of MASKS) {
      const changes = { [MAIN]: { [property]: wrapData(value) } }
      assertRefused(await harness.save(scope, changes), property)
      assertRefused(await harness.save(scope, { [MAIN]: { [property]: wrapSensitive(value) } }), property)

      const full = { snapshotVersion, resources: { [MAIN]: { properties: changes[MAIN]! } } } as JsonObject
      const path = `${placeOf(scope)}/configuration`
      assertRefused(await harness.http.call(path, { method: 'PUT', body: full }), property)

      const body = { snapshotVersion, changes } as JsonObject
      const planned = await harness.ok(`${path}/plan`, { method: 'POST', body })
      const [problem] = planned['problems'] as JsonObject[]
      assert.deepEqual([problem?.['property'], problem?.['errorCode']], [property, 'PROPERTY_INVALID'])
    }
    assert.deepEqual(await harness.configuration(scope), before)
  })

  it('in an install', async () => {
    for (const { property, value } of MASKS) {
      const body = {
        scope: harness.newScope(),
        bundle: vault.bundle,
        targetVersion: vault.version,
        properties: { [MAIN]: { [property]: wrapData(value) } },
      } as unknown as JsonObject
      assertRefused(await harness.http.call('/installations', { method: 'POST', body }), property)
    }
  })

  it('in an upgrade, even for a property that only becomes sensitive with it', async () => {
    const place = harness.newScope()
    const locator = locatorOf(shown, 'main')
    const id = await harness.installed(shown, {
      scope: place,
      properties: { [locator]: wrapped({ password: '********' }) },
    })
    const { snapshotVersion } = await harness.configuration(place)
    const upgrade = (properties: JsonObject) => {
      const body = { targetVersion: '2.0.0', snapshotVersion, properties: { [locator]: properties } }
      return harness.http.call(`/installations/${id}/upgrade`, { method: 'POST', body })
    }
    assertRefused(await upgrade({ password: { ...wrapData('••••••••') } }), 'password')
    assertRefused(await upgrade({}), 'password')
    assert.equal((await upgrade({ password: { ...wrapData('a real secret') } })).errorCode, '0')
  })

  it('but is a value for any other property, because that is shown', async () => {
    await harness.saved(scope, { [MAIN]: wrapped({ note: '********' }) })
    assert.equal((await harness.installation(bundleInstallId)).state, 'ACTIVE')
  })
})

describe('the schema of a version', () => {
  const SECRET = 'hush-hush'
  /** Each keyword asks something about the secret. */
  const questions = {
    minLength: 100,
    pattern: '^[^h]',
    not: { const: SECRET },
    allOf: [...SECRET].map((character, at) => ({ pattern: `^.{${at}}[^${character}]` })),
  }
  const safe = (version: string, definition: JsonObject) =>
    bundleOf('safe', { version, resources: [moduleOf('main', { password: definition as typeof secret })] })
  const first = safe('1.0.0', secret)
  const open = safe('2.0.0', TEXT)
  const asking = safe('3.0.0', { ...secret, schema: { type: 'string', ...questions } })
  const number = safe('4.0.0', { ...secret, schema: { type: 'number', minimum: 3 } })
  const locator = locatorOf(first, 'main')
  const properties = { [locator]: wrapped({ password: SECRET }) }
  const problemsOf = async (path: string, body: JsonObject): Promise<string[]> => {
    const plan = await harness.ok(path, { method: 'POST', body })
    return (plan['problems'] as JsonObject[]).map(({ errorCode }) => String(errorCode))
  }
  before(() => harness.publish(first, open, asking, number))

  it('does not ask what a saved secret is, kept, put aside or copied, but its type (H03)', async () => {
    const place = harness.newScope()
    const id = await harness.installed(first, { scope: place, properties })
    const path = `/installations/${id}/upgrade/plan`
    const kept = async () => [
      await problemsOf(path, { targetVersion: '3.0.0' }),
      await problemsOf(path, { targetVersion: '4.0.0' }),
    ]
    assert.deepEqual(await kept(), [[], ['PROPERTY_INVALID']])
    await harness.succeeds(await harness.upgrade(id, { targetVersion: '2.0.0' }))
    assert.deepEqual(await kept(), [[], ['PROPERTY_INVALID']])
    await harness.succeeds(await harness.upgrade(id, { targetVersion: '3.0.0' }))
    await harness.succeeds(await harness.detach(id))
    const copied = (targetVersion: string) =>
      problemsOf('/installations/plan', {
        scope: { ...place },
        bundle: { ...first.bundle },
        targetVersion,
        copyFrom: { bundleInstallId: id },
      })
    assert.deepEqual([await copied('3.0.0'), await copied('4.0.0')], [[], ['PROPERTY_INVALID']])
  })

  it('is that of a secret which the request gives', async () => {
    const place = harness.newScope()
    const id = await harness.installed(first, { scope: place, properties })
    const { snapshotVersion } = await harness.configuration(place)
    const body = { targetVersion: '3.0.0', snapshotVersion, properties } as unknown as JsonObject
    const found = await problemsOf(`/installations/${id}/upgrade/plan`, body)
    assert.deepEqual([...new Set(found)], ['PROPERTY_INVALID'])
  })
})
