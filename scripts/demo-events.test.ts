import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createRuntimeClient } from '#bff/runtime/runtime-client.ts'
import { createOutbound } from '#http-kit/outbound.ts'
import { listen, toNodeListener } from '#plugin-sdk/src/index.ts'
import type { Listening } from '#plugin-sdk/src/index.ts'
import { API, CREDENTIAL, testHttp } from '#runtime/testing/http.ts'
import type { TestHttp } from '#runtime/testing/http.ts'
import { until } from '#runtime/testing/stream.ts'
import { DemoBuilder } from '../demo/builder.ts'
import { createDemoCaller } from '../demo/caller.ts'
import { buildEvents } from '../demo/events.ts'
import { startDemoPlugins } from '../demo/plugins.ts'
import type { DemoPlugins } from '../demo/plugins.ts'

const folder = mkdtempSync(join(tmpdir(), 'demo-events-'))
const outbound = createOutbound({ egressAllow: [{ kind: 'loopback' }] })
let http: TestHttp
let server: Listening
let plugins: DemoPlugins

before(async () => {
  server = await listen(toNodeListener(async (request) => http.runtime.app.fetch(request)))
  http = await testHttp({ worker: {}, platformApiBase: server.url })
  plugins = await startDemoPlugins(folder, server.url)
})
after(async () => {
  await http.runtime.drain()
  await plugins.stop()
  await server.close({ graceMs: 0 })
  await http.close()
  await outbound.close()
  rmSync(folder, { recursive: true })
})

const read = async (url: string): Promise<string> => (await fetch(url)).text()

test('the order desk of the demo publishes events to its own Module and to that of the warehouse', async () => {
  const runtime = createRuntimeClient({ outbound, baseUrl: server.url + API, credential: CREDENTIAL })
  const call = createDemoCaller(runtime, ({ id, grants }) => http.assertion({ actor: id, grants }))
  await buildEvents(new DemoBuilder(call), call, plugins)
  await until(async () => {
    const { counts } = JSON.parse(await read(`${plugins.orderDesk}/outbox`)) as { counts: object }
    return JSON.stringify(counts) === JSON.stringify({ PENDING: 0, DELIVERED: 3, FAILED: 0 })
  })
  const ownEvents = await read(`${plugins.orderDesk}/received`)
  assert.match(ownEvents, /"method":"desk-configured","plugin_id":"order-desk"/)
  const other = await read(`${plugins.warehouse}/received`)
  assert.match(other, /"method":"stock-requested","plugin_id":"order-desk"/)
  for (const file of readdirSync(folder))
    assert.doesNotMatch(readFileSync(join(folder, file), 'latin1'), /eyJ[\w-]+\.eyJ/, file)
  await buildEvents(new DemoBuilder(call), call, plugins)
})
