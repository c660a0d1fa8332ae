import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { LifecycleRequest } from '../../../../contract/protocol/lifecycle.ts'
import { startEchoPlugin } from '../../testing/echo-plugin.ts'
import { check } from '../commands/check.ts'
import { parseProfile } from '../profile.ts'
import { CASES } from './all-cases.ts'

/** The result of version.schema-version for a plugin that responds with the contractVersion. */
async function resultOf(t: TestContext, contractVersion: (request: LifecycleRequest) => unknown) {
  const url = await startEchoPlugin(t, (request) => ({ contractVersion: contractVersion(request) }))
  const profile = parseProfile(
    { pluginId: 'p', resources: { 'production/crm/MODULE/core': {} } },
    'of the test',
  )
  const cases = CASES.filter(({ id }) => id === 'version.schema-version')
  const report = await check({ url, profile, seed: 1, platformPort: 0, cases })
  return report.cases[0]
}

test('a success with another schemaVersion must echo contractVersion', async (t) => {
  assert.equal((await resultOf(t, (request) => request.contractVersion))?.status, 'PASSED')
  for (const wrong of ['9.0.0', '1.0.0', undefined]) {
    const found = await resultOf(t, () => wrong)
    assert.equal(found?.status, 'FAILED')
    assert.match(found?.problem ?? '', /^contractVersion is .* instead of "6\.0\.0"$/)
  }
})
