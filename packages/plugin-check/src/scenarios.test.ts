import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { freePort } from '../../../database/free-port.ts'
import { startReferencePlugin } from '../testing/reference-plugin.ts'
import { referenceProfile } from '../testing/reference-profile.ts'
import { CASES } from './cases/all-cases.ts'
import { check } from './commands/check.ts'
import { readProfile } from './profile.ts'
import { scenarioCalls, Scenario } from './scenarios.ts'

const CORE = 'production/crm-suite/MODULE/crm-core'
const MAIL = 'production/crm-suite/MODULE/crm-mail'

const NEXT = {
  [CORE]: { properties: { displayName: 'Northwind' }, writes: { tenantId: {}, accessToken: {}, region: {} } },
  [MAIL]: { properties: { displayName: 'Mail' }, writes: { tenantId: {}, accessToken: {}, region: {} } },
}

/** The result of the case about scenarios. */
async function play(t: TestContext, steps: unknown) {
  const platformPort = await freePort()
  const platform = `http://127.0.0.1:${platformPort}`
  const plugin = await startReferencePlugin({ platform, file: null, defect: null })
  t.after(() => plugin.close())
  const scenario = Scenario.parse({ name: 'growth', steps })
  const report = await check({
    url: `${plugin.url}/lifecycle`,
    profile: { ...referenceProfile(plugin.url), scenarios: [scenario] },
    seed: 1,
    platformPort,
    cases: CASES.filter(({ id }) => id === 'scenario.as-written'),
  })
  return report.cases[0]
}

test('a scenario is judged by writes, outcome, code and state of each stage', async (t) => {
  const found = await play(t, [
    {
      operation: 'INSTALL',
      expect: { BEFORE_RESOURCES: { outcome: 'APPLIED', writes: { [CORE]: { region: 'eu' } } } },
    },
    {
      operation: 'CONFIGURE',
      values: { [CORE]: { displayName: 'Northwind Sales' } },
      expect: {
        BEFORE_RESOURCES: {
          state: [{ displayName: 'Northwind Sales' }],
          stateLacks: [{ displayName: 'Northwind' }],
        },
      },
    },
    {
      operation: 'CONFIGURE',
      values: { [CORE]: { displayName: 7 } },
      expect: { BEFORE_RESOURCES: { errorCode: 'NAME_INVALID' } },
    },
    {
      operation: 'UPGRADE',
      targetVersion: '2.0.0',
      resources: NEXT,
      expect: { AFTER_RESOURCES: { state: [{ locator: MAIL }] } },
    },
    {
      operation: 'UPGRADE',
      resources: { [MAIL]: NEXT[MAIL] },
      expect: { BEFORE_RESOURCES: { stateLacks: [{ locator: CORE }] } },
    },
    { operation: 'DETACH', expect: { AFTER_RESOURCES: { stateLacks: [{}] } } },
  ])
  assert.equal(found?.problem, null)
  assert.equal(found?.status, 'PASSED')
})

test('the first expectation that is not met is named with its scenario, step and stage', async (t) => {
  const wrong: [object, RegExp][] = [
    [
      { outcome: 'NOT_APPLIED' },
      /^growth, step 1 \(INSTALL BEFORE_RESOURCES\): the outcome is APPLIED instead of NOT_APPLIED$/,
    ],
    [{ writes: { [CORE]: { region: 'us' } } }, /region of \S+ is not written as expected$/],
    [{ errorCode: 'SEATS_EXHAUSTED' }, /it ended with outcome APPLIED instead of SEATS_EXHAUSTED$/],
    [{ state: [{ displayName: 'Elsewhere' }] }, /the state does not contain what is expected$/],
    [{ stateLacks: [{ displayName: 'Northwind' }] }, /the state contains what it must not contain$/],
  ]
  for (const [expected, problem] of wrong) {
    const found = await play(t, [{ operation: 'INSTALL', expect: { BEFORE_RESOURCES: expected } }])
    assert.equal(found?.status, 'FAILED')
    assert.match(found.problem ?? '', problem)
  }
})

test('an UPGRADE to other Modules installs, upgrades and detaches them', () => {
  const scenario = Scenario.parse({
    name: 'two manifests',
    steps: [{ operation: 'INSTALL' }, { operation: 'UPGRADE', resources: { [MAIL]: NEXT[MAIL] } }],
  })
  const calls = scenarioCalls(scenario, referenceProfile('http://127.0.0.1:1').resources)
  const upgrade = calls[2]?.request
  assert.deepEqual(
    Object.entries(upgrade?.resources ?? {}).map(([locator, { action, currentVersion }]) => [
      locator,
      action,
      currentVersion,
    ]),
    [
      [CORE, 'DETACH', '1.0.0'],
      [MAIL, 'INSTALL', null],
    ],
  )
  assert.deepEqual(upgrade?.operation, {
    operationType: 'UPGRADE',
    currentVersion: '1.0.0',
    targetVersion: '1.0.0-next',
  })
})

test('a profile takes samples from files', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'plugin-check-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'values.json'), '{"displayName": "Northwind"}')
  writeFileSync(join(folder, 'core.json'), '{"properties": {"$file": "values.json"}}')
  const file = join(folder, 'profile.json')
  const write = (name: string): void =>
    writeFileSync(file, JSON.stringify({ pluginId: 'p', resources: { [CORE]: { $file: name } } }))
  write('core.json')
  assert.deepEqual(readProfile(file).resources[CORE]?.properties, { displayName: 'Northwind' })
  write('absent.json')
  assert.throws(() => readProfile(file), /absent\.json cannot be read/)
  writeFileSync(join(folder, 'round.json'), '{"$file": "round.json"}')
  write('round.json')
  assert.throws(() => readProfile(file), /named by too many files in a row/)
})
