import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import { createActorAssertions } from '#bff/actor-assertion.ts'
import { loadActorKey } from '#bff/actor-key.ts'
import { createRuntimeClient } from '#bff/runtime-client.ts'
import { createOutbound } from '#edge/outbound.ts'
import { until } from '#runtime/events/testing-stream.ts'
import { testingPlugin } from '#runtime/operations/testing-plugin.ts'
import { createDemoCaller } from '../demo/caller.ts'
import type { DemoCaller } from '../demo/caller.ts'
import { platform } from '../demo/people.ts'
import { buildConsole } from './console-build.ts'
import { startPlace } from './testing-start.ts'
import type { StartPlace } from './testing-start.ts'

// Whole processes, as `npm start` starts them.

const BUNDLE: AuthorManifest = {
  bundle: { environmentKey: 'dev', bundleId: 'crm' },
  version: '1.0.0',
  title: 'Customers',
  resources: [{ kind: 'MODULE', name: 'core', title: 'Core', moduleId: 'crm-core', properties: {} }],
  plugins: [
    {
      pluginId: 'slow',
      order: 10,
      failurePolicy: 'FAIL_FAST',
      configuration: { schemaVersion: '1', values: {} },
      resources: [],
    },
  ],
}
const SCOPE = { environmentKey: 'prod', applicationRuntimeId: 'shop', workspaceId: 7 }

before(() => buildConsole())

describe('npm start after SIGKILL', () => {
  let place: StartPlace
  before(async () => (place = await startPlace()))
  after(() => place.close())

  it('continues an unfinished operation at once, although its lease still runs', async () => {
    const plugin = await testingPlugin()
    after(() => plugin.close())
    // the first call is never answered
    plugin.script(() => (plugin.calls.length === 1 ? 'hang' : { outcome: 'APPLIED' }))

    const first = place.start()
    await first.isUp()
    const operationId = await installOn(place, plugin.endpoint('slow'))
    await until(() => plugin.calls.length === 1, 10_000)
    await first.kill()

    const second = place.start()
    await second.isUp()
    // far less than the lease of 60 s
    await until(() => plugin.calls.length > 1, 5_000)
    assert.equal(plugin.calls[1]?.body, plugin.calls[0]?.body)
    const { call, close } = await callerOf(place)
    const stateOf = () => call(platform, 'GET /operations/{operationId}', { params: { operationId } })
    await until(async () => (await stateOf()).state === 'SUCCEEDED', 10_000)
    await close()
    assert.equal(await second.stop(), 0, second.errors())
  })
})

/** Installs the bundle, whose plugin is at this endpoint; answers the operation's id. */
async function installOn(place: StartPlace, endpoint: string): Promise<string> {
  const { call, close } = await callerOf(place)
  await call(
    platform,
    'PUT /plugins/{pluginId}',
    {
      params: { pluginId: 'slow' },
      body: { title: 'Slow', endpoint, enabled: true },
    },
    'plugin',
  )
  await call(
    platform,
    'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}',
    {
      params: { ...BUNDLE.bundle, version: BUNDLE.version },
      body: BUNDLE,
    },
    'publish',
  )
  const { operation } = await call(
    platform,
    'POST /installations',
    {
      body: { scope: SCOPE, bundle: BUNDLE.bundle, targetVersion: BUNDLE.version },
    },
    'install',
  )
  await close()
  assert.ok(operation !== undefined)
  return operation.operationId
}

/** Calls the runtime of a started program as its console does. */
async function callerOf(place: StartPlace): Promise<{ call: DemoCaller; close(): Promise<void> }> {
  const outbound = createOutbound({ egressAllow: [{ kind: 'loopback' }] })
  const runtime = createRuntimeClient({
    outbound,
    baseUrl: `http://127.0.0.1:${place.env['RUNTIME_PORT']}/bundle-runtime/api`,
    credential: readFileSync(join(place.dataDir, 'runtime-credential'), 'utf8'),
  })
  const assertions = createActorAssertions(await loadActorKey(place.dataDir))
  return { call: createDemoCaller(runtime, assertions), close: () => outbound.close() }
}
