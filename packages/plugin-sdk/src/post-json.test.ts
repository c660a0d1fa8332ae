import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpsServer } from 'node:https'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { successEnvelope } from '../../../contract/protocol/envelope.ts'
import { testAuthority, testCertificate } from '../../../http-kit/testing-certificates.ts'
import { eventNamed, eventTarget } from '../testing/event-target.ts'
import { memoryStore } from './memory-store.ts'
import { eventOutbox } from './outbox.ts'
import { postJson } from './post-json.ts'
import { readAuthorization } from './read-authorization.ts'
import { resolveReference } from './resolve-reference.ts'

/** A server that answers each request with these bytes, and then ends the connection if `isCut`. */
async function rawServer(t: TestContext, answer: string | Buffer | null, { isCut = false } = {}) {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => open.delete(socket))
    socket.on('data', (data) => {
      if (!String(data).endsWith('}') && !String(data).endsWith('"')) return
      if (answer !== null) socket.write(answer)
      if (isCut) socket.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const post = (ms = 5_000) => postJson({ url, headers: {}, body: '{}', signal: AbortSignal.timeout(ms) })
  return { open, post, url }
}

const http = (head: string, body = '') => `HTTP/1.1 ${head}\r\n\r\n${body}`

const failures: Record<string, { answer: string | Buffer | null; isCut?: boolean; error: RegExp }> = {
  'no response before the connection ends': { answer: null, isCut: true, error: /socket hang up/ },
  'a head that is cut': {
    answer: 'HTTP/1.1 200 OK\r\nContent-Le',
    isCut: true,
    error: /socket hang up|Parse/,
  },
  'a body that is cut': {
    answer: http('200 OK\r\nContent-Length: 20', '{"errorCode":'),
    isCut: true,
    error: /aborted/,
  },
  'chunks that are cut': {
    answer: http('200 OK\r\nTransfer-Encoding: chunked', '5\r\n{"err'),
    isCut: true,
    error: /aborted/,
  },
  'bytes that are not HTTP': { answer: 'SSH-2.0-OpenSSH_9.2\r\n\r\n', error: /Parse Error/ },
  'a body that is not JSON': { answer: http('200 OK\r\nContent-Length: 4', '<!do'), error: /JSON/ },
  'a body that is too large': {
    answer: Buffer.concat([
      Buffer.from(http(`200 OK\r\nContent-Length: ${17 * 1024 * 1024}`)),
      Buffer.alloc(17 * 1024 * 1024, '1'),
    ]),
    error: /too large/,
  },
}

for (const [name, { answer, isCut, error }] of Object.entries(failures)) {
  test(`${name} is an error`, async (t) => {
    const { open, post } = await rawServer(t, answer, isCut === undefined ? {} : { isCut })
    await assert.rejects(post(), error)
    if (name === 'a body that is not JSON') return // a complete response; its connection is kept
    await closed(open)
  })
}

/** Sends one event to this address, and returns how its attempt ended. */
async function sendEvent(t: TestContext, url: string) {
  const store = memoryStore()
  const { platformApiBase } = await eventTarget(t, url)
  const outbox = eventOutbox({ store, platformApiBase, credential: 'credential' })
  await store.transaction((tx) => outbox.publish(tx, eventNamed('changed')))
  await outbox.deliverDue()
  const [event] = await outbox.list()
  return [event?.state, event?.lastError?.errorCode]
}

for (const [name, { answer, isCut }] of Object.entries(failures)) {
  test(`${name}: the caller gets an uncertain result, and may repeat`, async (t) => {
    const { url } = await rawServer(t, answer, isCut === undefined ? {} : { isCut })
    const platform = { platformApiBase: url, credential: 'credential' }
    const { installation, resource, propertyKey } = eventNamed('changed')
    await assert.rejects(resolveReference({ ...platform, installation, resource, propertyKey }), {
      errorCode: 'RESOLUTION_UNCERTAIN',
      retryable: true,
    })
    await assert.rejects(readAuthorization({ ...platform, installation }), {
      errorCode: 'PLATFORM_UNCERTAIN',
      retryable: true,
    })
    assert.deepEqual(await sendEvent(t, url), ['PENDING', 'EVENT_RESULT_UNCERTAIN'])
  })
}

test('a server with a certificate of an unknown authority gets no request, one with a trusted certificate does', async (t) => {
  const authority = await testAuthority()
  let requests = 0
  const server = createHttpsServer(await testCertificate({ by: authority }), (_, response) => {
    requests++
    response.end(JSON.stringify(successEnvelope(null)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
  assert.deepEqual(await sendEvent(t, url), ['PENDING', 'EVENT_RESULT_UNCERTAIN'])
  assert.equal(requests, 0)
  setDefaultCACertificates([...getCACertificates(), authority.cert])
  assert.deepEqual(await sendEvent(t, url), ['DELIVERED', undefined])
  assert.equal(requests, 1)
})

test('a response that does not arrive or end in time is an error', async (t) => {
  for (const answer of [null, http('200 OK\r\nContent-Length: 20', '{"errorCode":')]) {
    const { open, post } = await rawServer(t, answer)
    await assert.rejects(post(100), /aborted/)
    await closed(open)
  }
})

test('a redirect is not followed, and other statuses have no JSON', async (t) => {
  const elsewhere = await rawServer(t, http('200 OK\r\nContent-Length: 2', '{}'))
  for (const head of [`302 Found\r\nLocation: ${elsewhere.url}`, '503 Service Unavailable']) {
    const { post } = await rawServer(t, http(`${head}\r\nContent-Length: 2`, '{}'))
    assert.deepEqual(await post(), { status: Number(head.slice(0, 3)), json: null })
  }
  assert.equal(elsewhere.open.size, 0)
})

test('requests one after another share a connection, and a connection that the server ended is replaced', async (t) => {
  const ok = http('200 OK\r\nContent-Length: 2', '{}')
  const { open, post } = await rawServer(t, ok)
  for (let count = 0; count < 3; count++) assert.deepEqual(await post(), { status: 200, json: {} })
  assert.equal(open.size, 1)
  const [first] = open
  first?.destroy()
  await closed(open)
  await wait(20)
  assert.deepEqual(await post(), { status: 200, json: {} })
})

async function closed(open: ReadonlySet<Socket>): Promise<void> {
  for (let count = 0; open.size > 0 && count < 200; count++) await wait(10)
  assert.equal(open.size, 0, 'a connection is left open')
}
