import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { freePort } from '../../../../database/free-port.ts'
import { startReferencePlugin } from '../../testing/reference-plugin.ts'
import { referenceProfile } from '../../testing/reference-profile.ts'
import { check } from '../commands/check.ts'
import type { Profile } from '../profile.ts'
import { CASES } from './all-cases.ts'

/** The result of the case about runbooks, after cases that cause failures. */
async function resultWith(t: TestContext, more: Partial<Profile>) {
  const platformPort = await freePort()
  const platform = `http://127.0.0.1:${platformPort}`
  const plugin = await startReferencePlugin({ platform, file: null, defect: null })
  t.after(() => plugin.close())
  const report = await check({
    url: `${plugin.url}/lifecycle`,
    profile: { ...referenceProfile(plugin.url), ...more },
    seed: 1,
    platformPort,
    cases: CASES.filter(({ id }) => id === 'bytes.refused' || id === 'runbook.every-code'),
  })
  const found = report.cases.find(({ id }) => id === 'runbook.every-code')
  assert.ok(found)
  return { ...found, passed: report.passed }
}

test('each code that the plugin answers, or may answer, needs a runbook if there is a list', async (t) => {
  const without = await resultWith(t, {})
  assert.equal(without.status, 'NOT_TESTED')

  const missing = await resultWith(t, { runbooks: [], errorCodes: ['QUOTA_USED_UP'] })
  assert.equal(missing.status, 'FAILED')
  const codes = /^No runbook for (.+)$/.exec(missing.problem ?? '')?.[1]?.split(', ') ?? []
  assert.ok(codes.includes('QUOTA_USED_UP'))
  assert.ok(codes.length > 1, 'codes of responses are judged too')
  // it makes a plugin easier to operate, and no more
  assert.equal(missing.passed, true)

  const runbooks = codes.map((errorCode) => ({ errorCode, title: 'What to do', text: 'Call the team.' }))
  const complete = await resultWith(t, { runbooks, errorCodes: ['QUOTA_USED_UP'] })
  assert.equal(complete.problem, null)
  assert.equal(complete.status, 'PASSED')
})
