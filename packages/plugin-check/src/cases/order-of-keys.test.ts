import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { freePort } from '../../../../database/free-port.ts'
import { startReferencePlugin } from '../../testing/reference-plugin.ts'
import { referenceProfile } from '../../testing/reference-profile.ts'
import { serve } from '../../testing/serve.ts'
import { check } from '../commands/check.ts'
import { CASES } from './all-cases.ts'

type ReadTenants = (plugin: string) => Promise<unknown[]>

/** Runs the cases against the reference plugin, with a state whose keys are in another order in each reading. */
async function statuses(t: TestContext, ids: ReadonlySet<string>, readTenants: ReadTenants) {
  const platformPort = await freePort()
  const platform = `http://127.0.0.1:${platformPort}`
  const plugin = await startReferencePlugin({ platform, file: null, defect: null })
  t.after(() => plugin.close())
  let reads = 0
  const state = await serve(t, (_, response) => {
    const isOdd = reads++ % 2 === 1
    void readTenants(plugin.url).then((tenants) =>
      response.end(JSON.stringify(isOdd ? { region: 'eu', tenants } : { tenants, region: 'eu' })),
    )
  })
  const report = await check({
    url: `${plugin.url}/lifecycle`,
    profile: { ...referenceProfile(plugin.url), state },
    seed: 1,
    platformPort,
    cases: CASES.filter(({ id }) => ids.has(id)),
  })
  return new Map(report.cases.map(({ id, status }) => [id, status]))
}

test('a state whose keys are in another order is the same', async (t) => {
  const ids = new Set([
    'late.every-call',
    'repeat.every-call',
    'isolation.detach-leaves-others',
    'bytes.every-call',
    'request.not-json',
    'connection.every-call',
  ])
  const found = await statuses(t, ids, async (plugin) => {
    const response = await fetch(`${plugin}/tenants`)
    // written by the reference plugin
    return (await response.json()) as unknown[]
  })
  assert.deepEqual(found, new Map([...ids].map((id) => [id, 'PASSED'])))
})

test('a DETACH that changes only the order of keys changes nothing', async (t) => {
  const found = await statuses(t, new Set(['detach.removes']), () => Promise.resolve([]))
  assert.deepEqual(found, new Map([['detach.removes', 'FAILED']]))
})
