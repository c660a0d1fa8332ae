import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRequest } from '../testing/send-request.ts'
import { lifecycleRequest } from '../testing/lifecycle-request.ts'
import { definePlugin } from './define-plugin.ts'
import { applied } from './result.ts'
import { memoryStore } from './memory-store.ts'

const MAX = 64 * 1024
const plugin = definePlugin({
  pluginId: 'tenant-provisioner',
  verify: false,
  store: memoryStore(),
  maxRequestBytes: MAX,
  handle: { BEFORE_RESOURCES: () => applied() },
})
const request = lifecycleRequest()

const invalid: Record<string, unknown> = {
  'invalid JSON': 'hello',
  'a truncated body': JSON.stringify(request).slice(0, 100),
  'a list': [],
  'an unknown field': { ...request, traceId: 'x' },
  'another plugin': { ...request, pluginId: 'another' },
  'another version': { ...request, contractVersion: '7.0.0' },
  'a sequence of 0': { ...request, executionSequence: 0 },
  'a sequence as a string': { ...request, executionSequence: '1' },
  'a fractional sequence': { ...request, executionSequence: 1.5 },
  'a sequence beyond 2^53 - 1': JSON.stringify(request).replace(
    '"executionSequence":1',
    '"executionSequence":9007199254740993',
  ),
  'a bare value': JSON.stringify(request).replace(/\{"@type":"Data","value":"Northwind"\}/, '"Northwind"'),
  'a deeply nested body': '['.repeat(30_000),
}
for (const [name, body] of Object.entries(invalid))
  test(`${name} is REQUEST_INVALID`, async () => {
    const response = await sendRequest(plugin, body)
    assert.equal(response.status, 200)
    assert.equal(response.errorCode, 'REQUEST_INVALID')
    assert.equal(response.failure?.retryable, false)
  })

test('transport errors are sent without an envelope', async () => {
  const send = (init: RequestInit) => plugin(new Request('http://plugin.invalid/', init))
  const post = { method: 'POST', body: '{}' }
  assert.equal((await send({ method: 'GET' })).status, 405)
  assert.equal((await send({ ...post, headers: { 'content-type': 'text/plain' } })).status, 415)
  const large = { method: 'POST', body: 'x'.repeat(MAX + 1), headers: { 'content-type': 'application/json' } }
  const response = await send(large)
  assert.equal(response.status, 413)
  assert.equal(response.headers.get('content-type'), 'application/problem+json')
})
