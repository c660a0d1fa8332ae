import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { Hono } from 'hono'
import { PERMISSIONS } from '#contract/endpoint/permission.ts'
import { failureOf, problemOf } from '#bff/failure.ts'
import { endpointRoutes } from '#bff/routes/endpoints.ts'
import type { ApiVariables } from '#bff/routes/endpoints.ts'
import { createRuntimeClient } from '#bff/runtime/runtime-client.ts'
import { createOutbound } from '#http-kit/outbound.ts'
import { problemResponse } from '#http-kit/problem-response.ts'
import { serve } from '#http-kit/serve.ts'
import type { RunningServer } from '#http-kit/serve.ts'
import { standInBrowser } from './testing-browser.ts'

// The browser's client, the console's server and a failing runtime, over real sockets: the number of requests
// per click, and the time they take.

const BUDGET_MS = 1_500

let fail: (request: IncomingMessage, response: ServerResponse) => void
const count = { browser: 0, runtime: 0 }
const runtime = createServer((request, response) => {
  count.runtime++
  request.resume()
  fail(request, response)
})
const outbound = createOutbound({ egressAllow: [{ kind: 'loopback' }] })
let console: RunningServer
standInBrowser(
  () => `http://127.0.0.1:${console.port}`,
  () => count.browser++,
)
const { ApiError, callApi } = await import('./client.ts')

before(async () => {
  await new Promise<void>((resolve) => runtime.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(runtime.address() as AddressInfo).port}`
  const app = new Hono<{ Variables: ApiVariables }>()
  app.onError((error) => problemResponse({ ...problemOf(failureOf(error).failure, 'r-1') }))
  app.use(async (c, next) => {
    c.set('requestId', 'r-1')
    c.set('spend', () => undefined)
    c.set('person', {
      id: 'ada',
      name: 'Ada',
      grants: [{ permissions: [...PERMISSIONS], scope: null }],
      authenticatedSeconds: 0,
    })
    await next()
  })
  const client = createRuntimeClient({ outbound, baseUrl, credential: 'credential', budgetMs: BUDGET_MS })
  app.route(
    '/api',
    endpointRoutes({
      runtime: client,
      assertionOf: async () => 'assertion',
      onRefused: async () => {},
    }),
  )
  console = await serve({ app, port: 0, hostname: '127.0.0.1' })
})
after(async () => {
  await console.stop({ graceMs: 100 })
  await outbound.close()
  runtime.closeAllConnections()
  runtime.close()
})

const failures: [what: string, fail: typeof fail, requests: number, code: string][] = [
  ['hangs', () => undefined, 1, 'UPSTREAM_TIMEOUT'],
  ['cuts the connection', (request) => request.socket.destroy(), 3, 'UPSTREAM_UNAVAILABLE'],
  ['answers 503', (_, response) => response.writeHead(503).end(), 3, 'UPSTREAM_UNAVAILABLE'],
  ['answers 500', (_, response) => response.writeHead(500).end(), 1, 'UPSTREAM_INVALID'],
]
const clicks: [what: string, click: () => Promise<unknown>][] = [
  ['a read', () => callApi('GET /summary', {})],
  [
    'a write',
    () =>
      callApi(
        'POST /operations/{operationId}/retry',
        { params: { operationId: '01900000-0000-7000-8000-000000000000' }, body: { run: 1 } },
        { idempotencyKey: crypto.randomUUID() },
      ),
  ],
]
for (const [what, how, requests, code] of failures) {
  for (const [kind, click] of clicks) {
    test(`${kind} from a runtime that ${what} causes 1 request of the browser and ${requests} to the runtime`, async () => {
      fail = how
      Object.assign(count, { browser: 0, runtime: 0 })
      const started = performance.now()
      const error: unknown = await click().catch((thrown: unknown) => thrown)
      const elapsed = performance.now() - started
      assert.ok(error instanceof ApiError, String(error))
      assert.equal(error.problem.code, code)
      assert.deepEqual(count, { browser: 1, runtime: requests })
      // a second layer of retries would take twice the budget
      assert.ok(elapsed < BUDGET_MS * 2, `${elapsed} ms`)
    })
  }
}
