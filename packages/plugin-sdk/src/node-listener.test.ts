import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, beforeEach, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { usedMemory } from '../../../http-kit/testing-memory.ts'
import { lifecycleRequest } from '../testing/lifecycle-request.ts'
import { definePlugin } from './define-plugin.ts'
import { memoryStore } from './memory-store.ts'
import { listen, toNodeListener, type Listening } from './node-listener.ts'

// A plugin behind Node's own server, which it serves without fetch objects, and behind a fetch-style router.

const MAX = 256 * 1024
const errors: unknown[] = []
const plugin = definePlugin({
  pluginId: 'tenant-provisioner',
  verify: { keys: [] },
  issuer: 'http://platform.invalid',
  store: memoryStore(),
  maxRequestBytes: MAX,
  onError: (error) => void errors.push(error),
  handle: {},
})
const open = definePlugin({
  pluginId: 'tenant-provisioner',
  verify: false,
  store: memoryStore(),
  maxRequestBytes: MAX,
  onError: (error) => void errors.push(error),
  handle: {},
})
const servers: Record<string, Listening> = {}
before(async () => {
  servers['verifying'] = await listen(toNodeListener(plugin))
  servers['direct'] = await listen(toNodeListener(open))
  servers['routed'] = await listen(toNodeListener((http) => open(http)))
})
after(() => Promise.all(Object.values(servers).map((server) => server.close({ graceMs: 0 }))))
beforeEach(() => void errors.splice(0))

/** Sends parts of a body; without a length in the headers they are chunked. */
async function post(
  name: string,
  headers: OutgoingHttpHeaders | string[],
  parts: readonly (string | Buffer)[],
) {
  const sent = request(servers[name]?.url ?? '', { method: 'POST', headers, agent: false })
  const response = once(sent, 'response') as Promise<[IncomingMessage]>
  for (const part of parts) sent.write(part)
  sent.end()
  const [incoming] = await response
  return { status: incoming.statusCode, headers: incoming.headers, body: await text(incoming) }
}

const json = { 'content-type': 'application/json' }
const body = JSON.stringify(lifecycleRequest())

for (const name of ['direct', 'routed']) {
  test(`${name}: a body in parts is read whole`, async () => {
    const response = await post(name, json, [body.slice(0, 100), body.slice(100)])
    assert.equal(response.status, 200)
    assert.equal(response.headers['cache-control'], 'no-store')
    assert.match(response.body, /"outcome":"NOT_APPLIED"/)
  })

  test(`${name}: a body that announces too many bytes is refused`, async () => {
    const long = Buffer.alloc(MAX + 1, 'x')
    const response = await post(name, { ...json, 'content-length': long.length }, [long])
    assert.equal(response.status, 413)
    assert.match(response.body, /CONTENT_TOO_LARGE/)
  })

  test(`${name}: another method and another type are refused`, async () => {
    const response = await fetch(servers[name]?.url ?? '')
    assert.equal(response.status, 405)
    assert.equal(response.headers.get('allow'), 'POST')
    assert.equal((await post(name, { 'content-type': 'text/plain' }, [body])).status, 415)
  })
}

for (const name of ['direct', 'routed'])
  test(`${name}: a body in pieces of one byte takes little more memory than its bytes (D07, J01)`, async () => {
    const socket = connect(Number(new URL(servers[name]?.url ?? '').port), '127.0.0.1')
    const response = text(socket)
    const head = 'POST / HTTP/1.1\r\nhost: plugin\r\nconnection: close\r\ncontent-type: application/json\r\n'
    const before = usedMemory()
    socket.write(`${head}transfer-encoding: chunked\r\n\r\n`)
    for (let sent = 0; sent < MAX - 1024; sent += 1024)
      if (!socket.write('1\r\nx\r\n'.repeat(1024))) await once(socket, 'drain')
    // until the server has read all of it
    await wait(500)
    const held = usedMemory() - before
    socket.write('0\r\n\r\n')
    assert.match(await response, /The body is not JSON/)
    assert.ok(held < 8, `${held} MB`)
  })

test('a caller that never says how long its body is can read why it is refused', async () => {
  const part = Buffer.alloc(MAX, 'x')
  const response = await post('direct', json, [part, part, part])
  assert.equal(response.status, 413)
  assert.match(response.headers['content-type'] ?? '', /problem\+json/)
})

test('a body that is cut is not an error of the plugin', async () => {
  const sent = request(servers['direct']?.url ?? '', {
    method: 'POST',
    headers: { ...json, 'content-length': body.length },
    agent: false,
  })
  sent.on('error', () => undefined)
  sent.write(body.slice(0, 100))
  await wait(50)
  sent.destroy()
  await wait(50)
  assert.deepEqual(errors, [])
  assert.equal((await post('direct', json, [body])).status, 200)
})

test('two authorizations are refused, not chosen from', async () => {
  const twice = ['authorization', 'Bearer a', 'authorization', 'Bearer b']
  const response = await post(
    'verifying',
    ['host', 'plugin', 'content-type', 'application/json', ...twice],
    [body],
  )
  assert.equal(response.status, 401)
  assert.equal(response.headers['www-authenticate'], 'Bearer')
})
