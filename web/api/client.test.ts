import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { EndpointName } from './client.ts'
import { standInBrowser } from './testing-browser.ts'

// Against a real server. The browser globals must exist before these modules are loaded.

type Answerer = (request: IncomingMessage, response: ServerResponse) => void

let answerer: Answerer
let seen: IncomingMessage[] = []
const server = createServer((request, response) => {
  seen.push(request)
  request.resume()
  answerer(request, response)
})
standInBrowser(() => `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
const { ApiError, callApi } = await import('./client.ts')
const { apiQuery, FOLLOW_MS } = await import('./query.ts')
const { queryClient } = await import('../app/query-client.ts')

before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
after(() => {
  queryClient.clear()
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  seen = []
  queryClient.clear()
})

const problem =
  (status: number, code: string): Answerer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/problem+json' })
    response.end(
      JSON.stringify({ code, status, title: '', message: '', remedy: '', retryable: true, errorPath: [] }),
    )
  }
const cut: Answerer = (request) => request.socket.destroy()
const ok: Answerer = (_, response) => response.end('{"operationId":"x"}')
const retry = { params: { operationId: 'x' }, body: { run: 1 } }
const write = (budgetMs?: number) =>
  callApi('POST /operations/{operationId}/retry', retry, {
    idempotencyKey: 'key',
    ...(budgetMs !== undefined && { budgetMs }),
  })
const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'answered',
    (error: unknown) => (error instanceof ApiError ? error.problem.code : String(error)),
  )

describe('answered requests', () => {
  const answers: [number, string][] = [
    [502, 'UPSTREAM_INVALID'],
    [503, 'UPSTREAM_UNAVAILABLE'],
    [503, 'SERVICE_UNAVAILABLE'],
    [504, 'UPSTREAM_TIMEOUT'],
    [429, 'RATE_LIMITED'],
    [500, 'INTERNAL_ERROR'],
  ]
  for (const [status, code] of answers) {
    it(`a write, a read and a query with the response ${code} are sent once`, async () => {
      answerer = problem(status, code)
      assert.equal(await codeOf(write()), code)
      assert.equal(await codeOf(callApi('GET /summary', {})), code)
      assert.equal(await codeOf(queryClient.fetchQuery(apiQuery('GET /summary', {}))), code)
      assert.equal(seen.length, 3)
    })
  }

  it('are also sent once if a proxy answers instead of the console', async () => {
    for (const [status, code] of [
      [502, 'SERVICE_UNAVAILABLE'],
      [503, 'SERVICE_UNAVAILABLE'],
      [504, 'UPSTREAM_TIMEOUT'],
    ] as const) {
      seen = []
      answerer = (_, response) => response.writeHead(status).end('<html></html>')
      assert.equal(await codeOf(write()), code)
      assert.equal(seen.length, 1)
    }
  })
})

describe('requests without a response', () => {
  it('are retried once for a write, with the same key', async () => {
    answerer = (request, response) => (seen.length === 1 ? cut : ok)(request, response)
    await write()
    answerer = cut
    assert.equal(await codeOf(write()), 'NETWORK_LOST')
    assert.deepEqual(
      seen.map(({ headers }) => headers['idempotency-key']),
      ['key', 'key', 'key', 'key'],
    )
  })

  it('are retried for a write whose response was cut off', async () => {
    answerer = (request, response) => {
      if (seen.length > 1) return ok(request, response)
      response.writeHead(200, { 'content-length': '100' })
      response.write('{"operationId":', () => response.destroy())
    }
    await write()
    assert.equal(seen.length, 2)
  })

  it('are retried up to three times for a read', async () => {
    answerer = cut
    assert.equal(await codeOf(queryClient.fetchQuery(apiQuery('GET /summary', {}))), 'NETWORK_LOST')
    assert.equal(seen.length, 4)
  })

  it('are not retried after their time budget', async () => {
    answerer = () => undefined
    assert.equal(await codeOf(write(300)), 'NETWORK_LOST')
    assert.equal(seen.length, 1)
  })
})

describe('responses in the cache', () => {
  /** After which time the query client reads an endpoint again that returned this. */
  const intervalOf = (name: EndpointName, data: unknown) => {
    const queryKey: readonly unknown[] = [name, {}]
    queryClient.setQueryData(queryKey, data)
    const query = queryClient.getQueryCache().find({ queryKey })
    const { refetchInterval, staleTime } = queryClient.defaultQueryOptions({ queryKey })
    assert.ok(query !== undefined && typeof refetchInterval === 'function' && typeof staleTime === 'function')
    return { again: refetchInterval(query), stale: staleTime(query) }
  }

  it('are read again without an event only where no event announces a change', () => {
    assert.deepEqual(intervalOf('GET /freezes', { items: [] }), { again: FOLLOW_MS, stale: 30_000 })
    assert.deepEqual(intervalOf('GET /operations', { items: [] }), { again: false, stale: 30_000 })
    assert.deepEqual(intervalOf('GET /session', {}), { again: false, stale: 60_000 })
    const operation = 'GET /operations/{operationId}'
    assert.equal(intervalOf(operation, { state: 'FAILED' }).again, FOLLOW_MS)
    assert.equal(intervalOf(operation, { state: 'SUCCEEDED' }).again, false)
  })
})
