import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { testHttp } from '../../testing/http.ts'
import type { AssertionOptions, TestHttp } from '../../testing/http.ts'
import { verifyChain } from './verify-chain.ts'

// The origin of an entry: the issuer that vouches for the person, and the person's network address.

let http: TestHttp
before(async () => {
  http = await testHttp()
})
after(() => http.close())

const plugin = { title: 'Mailer', endpoint: 'http://127.0.0.1:7000/', enabled: true }

async function save(pluginId: string, options: AssertionOptions) {
  const assertion = await http.assertion(options)
  return http.call(`/plugins/${pluginId}`, {
    method: 'PUT',
    body: plugin,
    headers: { 'x-runtime-actor-assertion': assertion },
  })
}

async function entryOf(answer: { headers: Headers }): Promise<JsonObject> {
  const { data } = await http.call('/audit?limit=200')
  const requestId = answer.headers.get('x-request-id')
  const entries = (data['items'] as JsonObject[]).filter((entry) => entry['requestId'] === requestId)
  assert.equal(entries.length, 1)
  return entries[0] ?? {}
}

test('an entry has the issuer and the address from the assertion, and the code of a refusal (G08)', async () => {
  const claims = { issuer: 'https://idp.test/realm', clientAddress: '2001:db8::7' }
  const done = await entryOf(await save('mailer', { claims }))
  assert.deepEqual(done['actor'], { id: 'ada', name: 'ada', issuer: claims.issuer })
  assert.equal(done['clientAddress'], claims.clientAddress)
  assert.deepEqual([done['outcome'], done['errorCode'], done['occurrences']], ['DONE', null, null])

  const refused = await entryOf(await save('mailer', { claims, grants: [], actor: 'eve' }))
  assert.deepEqual(refused['actor'], { id: 'eve', name: 'eve', issuer: claims.issuer })
  assert.deepEqual(
    [refused['outcome'], refused['errorCode'], refused['clientAddress']],
    ['REFUSED', 'PERMISSION_DENIED', claims.clientAddress],
  )

  assert.equal((await verifyChain(http.runtime.deps.db)).holds, true)
})

test('an assertion may omit them, but must not contain invalid ones', async () => {
  const plain = await entryOf(await save('plain', {}))
  assert.deepEqual([plain['actor'], plain['clientAddress']], [{ id: 'ada', name: 'ada', issuer: null }, null])
  for (const claims of [
    { issuer: '' },
    { issuer: 'x'.repeat(3_000) },
    { clientAddress: 'x'.repeat(65) },
    { clientAddress: '' },
  ])
    assert.equal((await save('plain', { claims })).status, 401, JSON.stringify(claims).slice(0, 40))
})
