import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LifecycleRequest } from '../../../../contract/protocol/lifecycle.ts'
import { startEchoPlugin } from '../../testing/echo-plugin.ts'
import { check } from '../commands/check.ts'
import { parseProfile } from '../profile.ts'
import { CASES } from './all-cases.ts'

const CORE = 'production/crm-suite/MODULE/core'
const BILLING = 'production/crm-suite/MODULE/billing'

const RESOURCES = {
  [CORE]: { properties: { displayName: 'Northwind', plan: 'public' } },
  [BILLING]: { properties: { plan: 'team', seats: 3 }, sensitive: ['plan'] },
}

test('values that a case replaces are sent only to the Module that they are of', async (t) => {
  const requests: LifecycleRequest[] = []
  const url = await startEchoPlugin(t, (request) => {
    requests.push(request)
    return {}
  })
  const profile = parseProfile({ pluginId: 'two-modules', resources: RESOURCES }, 'of the test')
  const ids = new Set(['version.unicode', 'secret.sensitive-input'])
  const cases = CASES.filter(({ id }) => ids.has(id))
  await check({ url, profile, seed: 1, platformPort: 0, cases })

  const sent = (locator: string, name: string) =>
    new Set(requests.map(({ resources }) => resources[locator]?.properties[name]?.value))
  for (const { resources } of requests)
    for (const [locator, { properties }] of Object.entries(RESOURCES))
      assert.deepEqual(Object.keys(resources[locator]?.properties ?? {}), Object.keys(properties))
  assert.deepEqual(sent(CORE, 'displayName'), new Set(['Northwind', 'Northwind Ünï 東京 \u{1F680} \u2028']))
  // a property of the same name is sensitive in the other Module only
  assert.deepEqual(sent(CORE, 'plan'), new Set(['public']))
  const plans = [...sent(BILLING, 'plan')]
  assert.equal(plans.length, 2)
  assert.match(String(plans.find((plan) => plan !== 'team')), /^canary-/)
})
