import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { testHttp, textOf } from '../../testing/http.ts'
import type { TestHttp } from '../../testing/http.ts'
import { billing, SCOPE } from '../../testing/bundles.ts'

// The content of entries about objects other than resources: the changed fields, before and after, and the reason.

let http: TestHttp
before(async () => {
  http = await testHttp()
})
after(() => http.close())

async function entryOf(method: string, path: string, body?: JsonObject): Promise<JsonObject> {
  const answer = await http.call(path, { method, ...(body && { body }) })
  assert.equal(answer.errorCode, '0', JSON.stringify(answer.json))
  const { data } = await http.call('/audit?limit=1')
  const [entry] = data['items'] as JsonObject[]
  assert.equal(entry?.['requestId'], answer.headers.get('x-request-id'))
  return entry ?? {}
}

/** `property: before → after`, none with a locator. */
function summarize({ changes }: JsonObject): Record<string, unknown[]> {
  const list = changes as { locator: null; property: string; before: JsonObject; after: JsonObject }[]
  assert.ok(list.every(({ locator }) => locator === null))
  return Object.fromEntries(
    list.map(({ property, before, after }) => [
      property,
      [before?.['value'] ?? null, after?.['value'] ?? null],
    ]),
  )
}

test('a plugin', async () => {
  const plugin = { title: 'Mailer', endpoint: 'http://127.0.0.1:7000/', enabled: true }
  const made = await entryOf('PUT', '/plugins/mailer', { ...plugin, timeoutMs: 500, reason: 'for mail' })
  assert.equal(made['reason'], 'for mail')
  assert.deepEqual(summarize(made), {
    title: [null, 'Mailer'],
    endpoint: [null, plugin.endpoint],
    enabled: [null, true],
    timeoutMs: [null, 500],
  })
  const changed = await entryOf('PUT', '/plugins/mailer', { ...plugin, enabled: false })
  assert.deepEqual(summarize(changed), { enabled: [true, false], timeoutMs: [500, null] })
  assert.deepEqual(summarize(await entryOf('PUT', '/plugins/mailer', { ...plugin, enabled: false })), {})
})

test('a credential, without its secret (G08)', async () => {
  const path = '/plugins/mailer/credentials'
  const made = await entryOf('POST', path, { reason: 'the first' })
  assert.deepEqual([made['reason'], summarize(made)], ['the first', { isValid: [null, true] }])
  const id = textOf(made['subject']).split(' ')[1]
  assert.deepEqual(summarize(await entryOf('DELETE', `${path}/${id}`)), { isValid: [true, false] })
})

test('a service', async () => {
  const service = {
    title: 'Mail',
    url: 'http://127.0.0.1:9/mail/',
    methods: ['send'],
    owner: null,
    consumers: [],
  }
  const made = await entryOf('PUT', '/services/mail', { ...service, enabled: true, reason: 'new' })
  assert.equal(made['reason'], 'new')
  assert.deepEqual(summarize(made), {
    title: [null, 'Mail'],
    url: [null, 'http://127.0.0.1:9/mail'],
    methods: [null, ['send']],
    consumers: [null, []],
    enabled: [null, true],
  })
  const changed = await entryOf('PUT', '/services/mail', {
    ...service,
    enabled: true,
    consumers: [{ ...SCOPE }],
  })
  assert.deepEqual(summarize(changed), { consumers: [[], [SCOPE]] })
})

test('a local service', async () => {
  const path = `/scopes/${SCOPE.environmentKey}/${SCOPE.applicationRuntimeId}/${SCOPE.workspaceId}/local-services/search`
  const made = await entryOf('PUT', path, { values: { a: 1, b: { c: [] } }, version: 0, reason: 'begin' })
  assert.deepEqual([made['reason'], summarize(made)], ['begin', { a: [null, 1], b: [null, { c: [] }] }])
  const changed = await entryOf('PUT', path, { values: { a: 2, b: { c: [] } }, version: 1 })
  assert.deepEqual(summarize(changed), { a: [1, 2] })
})

test('a publication', async () => {
  const { bundle, version } = billing
  const path = `/bundles/${bundle.environmentKey}/${bundle.bundleId}/versions/${version}`
  const entry = summarize(await entryOf('PUT', path, billing as unknown as JsonObject))
  assert.deepEqual(entry['title'], [null, billing.title])
  assert.deepEqual(
    entry['resources']?.[1],
    billing.resources.map(({ kind, name }) => `${kind}/${name}`),
  )
  assert.match(String(entry['manifestSha256']?.[1]), /^[0-9a-f]{64}$/)
})

test('a refusal has the reason too', async () => {
  const body = { title: 'M', endpoint: 'http://127.0.0.1:7000/', enabled: true, reason: 'to try' }
  await http.call('/plugins/other', { method: 'PUT', body, grants: [] })
  const { data } = await http.call('/audit?limit=1')
  const [entry] = data['items'] as JsonObject[]
  assert.deepEqual([entry?.['outcome'], entry?.['reason'], entry?.['changes']], ['REFUSED', 'to try', []])
})
