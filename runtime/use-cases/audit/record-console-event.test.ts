import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { testHttp, textOf } from '../../testing/http.ts'
import type { AssertionOptions, Call, TestHttp } from '../../testing/http.ts'
import { billing, SCOPE } from '../../testing/bundles.ts'
import { verifyChain } from './verify-chain.ts'

let http: TestHttp
before(async () => {
  http = await testHttp()
})
after(() => http.close())

const AUDIENCE = 'bundle-runtime-audit'
const event: JsonObject = {
  action: 'session.sign-in',
  outcome: 'DONE',
  subject: 'console',
  errorCode: null,
  scope: null,
  bundleInstallId: null,
  operationId: null,
  clientAddress: '10.1.2.3',
  requestId: 'request-of-the-browser',
  occurrences: { count: 1, firstAt: '2026-11-21T10:00:00.000Z', lastAt: '2026-11-21T10:00:00.000Z' },
}

async function record(changes: JsonObject, call: Call = {}, as: AssertionOptions = {}) {
  const assertion = await http.assertion({ audience: AUDIENCE, grants: [], ...as })
  const headers = { 'x-runtime-actor-assertion': assertion, ...call.headers }
  return http.call('/audit/entries', { method: 'POST', body: { ...event, ...changes }, ...call, headers })
}

async function entries(query = ''): Promise<JsonObject[]> {
  return (await http.call(`/audit?limit=200${query}`)).data['items'] as JsonObject[]
}

test('an event becomes one entry of the actor, however often it is sent', async () => {
  const key = randomUUID()
  const as = { actor: 'mira', claims: { issuer: 'https://idp.test', clientAddress: '10.9.9.9' } }
  for (let times = 0; times < 3; times++) {
    const answer = await record({}, { key }, as)
    assert.deepEqual(answer.data, { recorded: true })
  }
  const [entry, ...more] = await entries('&action=session.sign-in')
  assert.deepEqual(more, [])
  assert.deepEqual(entry?.['actor'], { id: 'mira', name: 'mira', issuer: 'https://idp.test' })
  for (const name of ['action', 'outcome', 'subject', 'clientAddress', 'requestId', 'occurrences'])
    assert.deepEqual(entry?.[name], event[name], name)
  assert.equal((await record({ subject: 'other' }, { key }, as)).errorCode, 'IDEMPOTENCY_KEY_REUSED')
  assert.equal((await verifyChain(http.runtime.deps.db)).holds, true)
})

test('a refusal is visible where its object is', async () => {
  const { bundle, version } = billing
  await http.call(`/bundles/${bundle.environmentKey}/${bundle.bundleId}/versions/${version}`, {
    method: 'PUT',
    body: billing as unknown as JsonObject,
  })
  const installed = await http.call('/installations', {
    method: 'POST',
    body: { scope: { ...SCOPE }, bundle: { ...bundle }, targetVersion: version },
  })
  const operationId = textOf((installed.data['operation'] as JsonObject)['operationId'])
  const refusal = {
    action: 'operation.takeover',
    outcome: 'REFUSED',
    errorCode: 'PERMISSION_DENIED',
    subject: operationId,
    operationId,
    occurrences: { count: 12, firstAt: '2026-11-21T10:00:00.000Z', lastAt: '2026-11-21T10:00:59.000Z' },
  }
  assert.equal((await record(refusal)).errorCode, '0')
  const auditor = [{ permissions: ['audit:read' as const], scope: { ...SCOPE } }]
  const { data } = await http.call('/audit?action=operation.takeover', { grants: auditor })
  const [entry] = data['items'] as JsonObject[]
  assert.deepEqual(
    [entry?.['scope'], entry?.['operationId'], entry?.['errorCode'], entry?.['occurrences']],
    [SCOPE, operationId, 'PERMISSION_DENIED', refusal.occurrences],
  )
  // a refusal for a missing object belongs to no scope
  assert.equal((await record({ ...refusal, operationId: randomUUID() })).errorCode, '0')
  const seen = await http.call('/audit?action=operation.takeover', { grants: auditor })
  assert.equal((seen.data['items'] as JsonObject[]).length, 1)
  assert.equal((await entries('&action=operation.takeover')).length, 2)
})

test('only an assertion for recording is accepted, and it authorizes nothing else', async () => {
  const before = (await entries()).length
  assert.equal((await record({}, {}, { audience: 'bundle-runtime' })).status, 401)
  assert.equal((await record({}, { headers: { authorization: 'Bearer other' } })).status, 401)
  assert.equal((await record({}, { headers: { 'x-runtime-actor-assertion': null } })).status, 401)
  const assertion = await http.assertion({ audience: AUDIENCE })
  const headers = { 'x-runtime-actor-assertion': assertion }
  assert.equal((await http.call('/plugins', { headers })).status, 401)
  assert.equal((await http.call('/audit/entries', { headers })).status, 405)
  assert.equal((await entries()).length, before)
})

test('an event that only the runtime can cause, or that is malformed, is refused and not recorded', async () => {
  const before = (await entries()).length
  for (const changes of [
    { action: 'plugin.save' },
    { action: 'data.read' },
    { action: 'nonsense' },
    { subject: '' },
    { subject: 'x'.repeat(513) },
    { requestId: 'a b' },
    { clientAddress: '' },
    { occurrences: { count: 0, firstAt: '2026-11-21T10:00:00.000Z', lastAt: '2026-11-21T10:00:00.000Z' } },
    { reason: 'I say so' },
    { actor: { id: 'eve', name: 'Eve' } },
  ] as JsonObject[]) {
    const answer = await record(changes)
    assert.equal(answer.errorCode, 'REQUEST_INVALID', JSON.stringify(changes).slice(0, 60))
  }
  assert.equal((await record({}, { headers: { 'idempotency-key': null } })).errorCode, 'REQUEST_INVALID')
  assert.equal((await entries()).length, before)
})

test('entries stand where they happened, on every page, although a console records them later', async () => {
  const actor = 'order'
  const at = (second: number) => `2026-11-22T10:00:0${second}.123Z`
  const seconds = [3, 1, 4, 2]
  for (const second of seconds) {
    const occurrences = { count: 1, firstAt: at(second), lastAt: at(9) }
    await record({ occurrences, outcome: 'REFUSED', errorCode: 'PERMISSION_DENIED' }, {}, { actor })
  }
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const next: string = cursor === null ? '' : `&cursor=${cursor}`
    const { data } = await http.call(`/audit?actor=${actor}&limit=1${next}`)
    for (const { occurrences } of data['items'] as { occurrences: JsonObject }[])
      seen.push(textOf(occurrences['firstAt']))
    cursor = data['nextCursor'] as string | null
  } while (cursor !== null)
  assert.deepEqual(seen, [4, 3, 2, 1].map(at))
  const between = await entries(`&actor=${actor}&since=${at(2)}&until=${at(4)}`)
  assert.equal(between.length, 2)
})
