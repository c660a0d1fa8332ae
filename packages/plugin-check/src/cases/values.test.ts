import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { JsonValue } from '../../../../contract/json-schema/json.ts'
import { startEchoPlugin } from '../../testing/echo-plugin.ts'
import { data } from '../../testing/reference-parts.ts'
import { serve } from '../../testing/serve.ts'
import { check } from '../commands/check.ts'
import { parseProfile } from '../profile.ts'
import { CASES } from './all-cases.ts'

const LOCATOR = 'production/crm/MODULE/core'

/** The result of values.wrapper-shaped for a plugin that writes and shows the field `value` of a quota, if it has one. */
async function resultWith(t: TestContext, quota: JsonValue) {
  const shown: { bundleInstallId: string; quota: unknown }[] = []
  const url = await startEchoPlugin(t, ({ installation: { bundleInstallId }, resources }) => {
    const found = resources[LOCATOR]?.properties['quota']?.value
    const inner = typeof found === 'object' && found !== null && 'value' in found ? found.value : found
    shown.push({ bundleInstallId, quota: inner })
    return { resources: { [LOCATOR]: { limit: data(inner) } } }
  })
  const profile = parseProfile(
    {
      pluginId: 'p',
      resources: { [LOCATOR]: { properties: { quota }, writes: { limit: {} } } },
      state: await serve(t, (_, response) => void response.end(JSON.stringify(shown))),
    },
    'of the test',
  )
  const cases = CASES.filter(({ id }) => id === 'values.wrapper-shaped')
  return (await check({ url, profile, seed: 1, platformPort: 0, cases })).cases[0]
}

test('a plugin may read the field `value` of a business value that has one', async (t) => {
  assert.equal((await resultWith(t, { value: 'ten thousand', unit: 'seats' }))?.status, 'NOT_TESTED')
  assert.equal((await resultWith(t, 'ten thousand'))?.status, 'FAILED')
})

test('a property that another version declares otherwise is judged by what any of them allows', async (t) => {
  const resultOf = async (first: JsonValue, next: JsonValue) => {
    const url = await startEchoPlugin(t, () => ({
      resources: { [LOCATOR]: { limit: { ...data('ten'), isSensitive: true } } },
    }))
    const resourcesWith = (limit: JsonValue) => ({ [LOCATOR]: { writes: { limit } } })
    const steps = [
      { operation: 'INSTALL' },
      { operation: 'UPGRADE', targetVersion: '2.0.0', resources: resourcesWith(next) },
    ]
    const profile = parseProfile(
      { pluginId: 'p', resources: resourcesWith(first), scenarios: [{ name: 'upgrade', steps }] },
      'of the test',
    )
    const cases = CASES.filter(({ id }) => /^writes\.(valid|plain-unmarked)$/.test(id))
    const report = await check({ url, profile, seed: 1, platformPort: 0, cases })
    return report.cases.map(({ status }) => status)
  }
  const [number, flag] = [{ schema: { type: 'number' } }, { schema: { type: 'boolean' } }]
  const sensitiveText = { schema: { type: 'string' }, isSensitive: true }
  assert.deepEqual(await resultOf(sensitiveText, number), ['PASSED', 'PASSED'])
  assert.deepEqual(await resultOf({ ...flag, isSensitive: true }, {}), ['PASSED', 'PASSED'])
  assert.deepEqual(await resultOf(flag, number), ['FAILED', 'FAILED'])
})
