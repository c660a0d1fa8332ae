import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { Summary } from '#contract/runtime-api/summary.ts'
import { createOutbound } from '#http-kit/outbound.ts'
import { ConsoleFailure } from '../failure.ts'
import { createRuntimeClient } from './runtime-client.ts'
import type { RuntimeCall } from './runtime-client.ts'

// A foreign runtime that may return anything, over a real socket.

type Answerer = (request: IncomingMessage, response: ServerResponse) => void
let answerer: Answerer
let seen: IncomingMessage[] = []
const server = createServer((request, response) => {
  seen.push(request)
  request.resume()
  answerer(request, response)
})
const outbound = createOutbound({ egressAllow: [{ kind: 'loopback' }] })
let baseUrl = ''

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/bundle-runtime/api`
})
beforeEach(() => {
  seen = []
})
after(async () => {
  await outbound.close()
  server.closeAllConnections()
  server.close()
})

const summary: Summary = {
  installations: { NOT_INSTALLED: 0, ACTIVE: 1, DETACHED: 0 },
  outdated: 0,
  claims: [],
  nextSteps: [],
  operations: { PENDING: 0, RUNNING: 0, WAITING: 0, SUCCEEDED: 1, FAILED: 0, TAKEN_OVER: 0 },
  clockAheadMs: null,
}
const read: RuntimeCall = {
  name: 'GET /summary',
  params: {},
  query: new URLSearchParams(),
  body: null,
  assertion: 'assertion',
  requestId: 'request',
  idempotencyKey: null,
}
const write: RuntimeCall = {
  ...read,
  name: 'POST /operations/{operationId}/retry',
  params: { operationId: '01900000-0000-7000-8000-000000000000' },
  body: '{"run":1}',
  idempotencyKey: 'key',
}

const call = (what: RuntimeCall, budgetMs = 5_000) =>
  createRuntimeClient({ outbound, baseUrl, credential: 'credential', budgetMs })(what)
const json =
  (body: unknown, status = 200): Answerer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'set-cookie': 'stolen=1' })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

async function failureOf(promise: Promise<unknown>): Promise<ConsoleFailure> {
  const failure = await promise.then(
    () => assert.fail('it should have failed'),
    (error: unknown) => error,
  )
  assert.ok(failure instanceof ConsoleFailure, String(failure))
  return failure
}

test('unwraps the envelope and ignores unknown fields (D05)', async () => {
  for (const extra of [{}, { contractVersion: '1.0.0' }, { trace: 'x' }]) {
    answerer = json({ errorCode: '0', data: { ...summary, more: 1 }, ...extra })
    assert.deepEqual(await call(read), summary)
  }
})

test('forwards a failure with its code, message and details', async () => {
  const details = [{ property: 'a', errorCode: 'PROPERTY_INVALID', message: 'Must be a number' }]
  const data = { message: 'No', retryable: true, errorPath: ['bundle-runtime'], details, extra: 1 }
  answerer = json({ errorCode: 'PROPERTY_INVALID', data })
  const failure = await failureOf(call(read))
  assert.deepEqual(
    [failure.code, failure.ownMessage, failure.retryable, failure.errorPath, failure.details],
    ['PROPERTY_INVALID', 'No', true, ['bundle-runtime'], details],
  )
  answerer = json({ errorCode: 'SOMETHING_NEW', data: null })
  assert.equal((await failureOf(call(read))).code, 'SOMETHING_NEW')
})

const invalid: [string, Answerer][] = [
  ['HTML', json('<html></html>')],
  ['nothing', json('')],
  ['JSON without an envelope', json([1])],
  ['an envelope of another version', json({ contractVersion: '2.0.0', errorCode: '0', data: summary })],
  ['an envelope without data', json({ errorCode: '0' })],
  ['a lower-case code', json({ errorCode: 'failed', data: null })],
  ['data of another shape', json({ errorCode: '0', data: { ...summary, claims: 'none' } })],
  ['401', json({}, 401)],
  ['500', json({}, 500)],
  ['a redirect', (_, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()],
]
for (const [what, answer] of invalid) {
  test(`${what} becomes UPSTREAM_INVALID (D05)`, async () => {
    answerer = answer
    const failure = await failureOf(call(read))
    assert.deepEqual(
      [failure.code, failure.retryable, failure.ownMessage],
      ['UPSTREAM_INVALID', false, undefined],
    )
  })
}

test('the reason of an unavailable runtime is forwarded, other text is not', async () => {
  const { message, parameters } = platformMessage('databaseFull')
  const said = { code: 'SERVICE_UNAVAILABLE', message, parameters, requestId: 'r' }
  answerer = json(said, 503)
  const quoted = await failureOf(call(read))
  assert.deepEqual(
    [quoted.code, quoted.ownMessage, quoted.parameters, quoted.retryable],
    ['SERVICE_UNAVAILABLE', message, parameters, true],
  )
  for (const body of ['<html>', '', { ...said, code: 'OTHER' }, { ...said, message: 'x'.repeat(5_000) }]) {
    answerer = json(body, 503)
    const failure = await failureOf(call(read))
    assert.deepEqual([failure.code, failure.ownMessage], ['UPSTREAM_UNAVAILABLE', undefined])
  }
})

test('a silent runtime becomes UPSTREAM_TIMEOUT, an unreachable one UPSTREAM_UNAVAILABLE', async () => {
  answerer = () => undefined
  const failure = await failureOf(call(read, 60))
  assert.equal(failure.code, 'UPSTREAM_TIMEOUT')
  // a read was not carried out, and only a write is in doubt
  assert.equal(failure.ownMessage, 'The data could not be read in time. Nothing was changed.')
  assert.equal((await failureOf(call(write, 60))).ownMessage, undefined)
  answerer = (request) => request.socket.destroy()
  assert.equal((await failureOf(call(read))).code, 'UPSTREAM_UNAVAILABLE')
})

test('a request with an uncertain result is retried, a write only with its key, which stays the same (D09)', async () => {
  let calls = 0
  answerer = (request, response) => {
    calls += 1
    if (calls < 3) request.socket.destroy()
    else json({ errorCode: '0', data: summary })(request, response)
  }
  assert.deepEqual(await call(read), summary)
  assert.equal(calls, 3)

  answerer = (request) => request.socket.destroy()
  seen = []
  await failureOf(call(write))
  assert.deepEqual(
    seen.map(({ headers }) => headers['idempotency-key']),
    ['key', 'key', 'key'],
  )
  seen = []
  await failureOf(call({ ...write, idempotencyKey: null }))
  assert.equal(seen.length, 1)
})

test('all attempts share one time budget, so a runtime that hangs gets one request (D09)', async () => {
  answerer = () => undefined
  const started = performance.now()
  assert.equal((await failureOf(call(write, 1_000))).code, 'UPSTREAM_TIMEOUT')
  const elapsed = performance.now() - started
  assert.ok(elapsed >= 990 && elapsed < 2_500, `${elapsed} ms`)
  assert.equal(seen.length, 1)
})

test('each attempt gets the rest of the budget', async () => {
  answerer = (request, response) => {
    if (seen.length === 1) setTimeout(() => json({}, 503)(request, response), 1_200)
  }
  const started = performance.now()
  assert.equal((await failureOf(call(read, 2_000))).code, 'UPSTREAM_TIMEOUT')
  const elapsed = performance.now() - started
  assert.ok(elapsed < 2_900, `${elapsed} ms`)
  assert.equal(seen.length, 2)
})

test('no attempt starts after the end of the budget', async () => {
  answerer = (request, response) => {
    setTimeout(() => json({}, 503)(request, response), seen.length === 1 ? 0 : 700)
  }
  await failureOf(call(read, 1_000))
  assert.equal(seen.length, 2)
})

test('a request with a definite result is not retried', async () => {
  answerer = json({ errorCode: 'OPERATION_NOT_RETRYABLE', data: { message: 'No', retryable: false } })
  await failureOf(call(write))
  assert.equal(seen.length, 1)
})

test('sends only what it builds itself, and each parameter as one segment (D04)', async () => {
  answerer = json({ errorCode: '0', data: summary })
  await call(read)
  const names = Object.keys(seen[0]?.headers ?? {}).sort()
  assert.deepEqual(names, [
    'accept-encoding',
    'authorization',
    'connection',
    'host',
    'x-request-id',
    'x-runtime-actor-assertion',
  ])
  seen = []
  await failureOf(call({ ...write, params: { operationId: '../../admin?x=1' } }))
  assert.equal(seen[0]?.url, '/bundle-runtime/api/operations/..%2F..%2Fadmin%3Fx%3D1/retry')
})
