import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpsServer } from 'node:https'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { testAuthority, testCertificate } from '../../../http-kit/testing-certificates.ts'
import { eventNamed, eventTarget } from '../testing/event-target.ts'
import { memoryStore } from './memory-store.ts'
import { eventOutbox } from './outbox.ts'
import { callPlatform } from './platform.ts'
import { postJson } from './post-json.ts'
import { resolveReference } from './resolve-reference.ts'

/** A server that answers each request with these bytes, and then ends the connection if `isCut`. */
async function rawServer(t: TestContext, answer: string | Buffer | null, { isCut = false } = {}) {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => open.delete(socket))
    socket.on('data', (data) => {
      if (!String(data).includes('\r\n\r\n')) return
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
    await waitUntilClosed(open)
  })
}

test('a response that does not arrive or end in time is an error', async (t) => {
  for (const answer of [null, http('200 OK\r\nContent-Length: 20', '{"errorCode":')]) {
    const { open, post } = await rawServer(t, answer)
    await assert.rejects(post(100), /aborted/)
    await waitUntilClosed(open)
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
  await waitUntilClosed(open)
  await wait(20)
  assert.deepEqual(await post(), { status: 200, json: {} })
})

/** Answers that say nothing about whether the request had an effect. */
const uncertain: Record<string, { answer: string | Buffer | null; isCut?: boolean }> = {
  ...failures,
  'no response in time': { answer: null },
  'a body that does not end in time': { answer: http('200 OK\r\nContent-Length: 20', '{"errorCode":') },
  'a redirect': { answer: http('302 Found\r\nLocation: /other\r\nContent-Length: 0') },
  'status 503': { answer: http('503 Service Unavailable\r\nContent-Length: 0') },
  'an empty body': { answer: http('200 OK\r\nContent-Length: 0') },
  'JSON that is not an envelope': { answer: http('200 OK\r\nContent-Length: 2', '{}') },
}

for (const [name, { answer, isCut }] of Object.entries(uncertain)) {
  test(`${name} is an uncertain result, and is retried`, async (t) => {
    const { url } = await rawServer(t, answer, isCut === undefined ? {} : { isCut })
    await requireUncertain(t, url)
  })
}

test('a server that does not accept the connection is an uncertain result', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  await requireUncertain(t, `http://127.0.0.1:${port}/`)
})

test('over HTTPS, only a server with a valid certificate gets the request', async (t) => {
  const authority = await testAuthority()
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, authority.cert])
  t.after(() => setDefaultCACertificates(before))
  const received: string[] = []
  const startHttps = async (options: Parameters<typeof testCertificate>[0]) => {
    const server = createHttpsServer(await testCertificate(options), (incoming, outgoing) => {
      received.push(incoming.url ?? '')
      outgoing.end('{}')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => {
      server.closeAllConnections()
      server.close()
    })
    return `https://localhost:${(server.address() as AddressInfo).port}/`
  }
  const post = (url: string) => postJson({ url, headers: {}, body: '{}', signal: AbortSignal.timeout(5_000) })

  assert.deepEqual(await post(await startHttps({ by: authority })), { status: 200, json: {} })
  assert.deepEqual(received, ['/'])
  const refused: Record<string, Parameters<typeof testCertificate>[0]> = {
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: { by: await testAuthority('Unknown authority') },
    CERT_HAS_EXPIRED: { by: authority, isExpired: true },
    ERR_TLS_CERT_ALTNAME_INVALID: { by: authority, names: ['other.example'] },
  }
  for (const [code, options] of Object.entries(refused)) {
    const url = await startHttps(options)
    await assert.rejects(post(url), { code })
    await requireUncertain(t, url)
  }
  assert.deepEqual(received, ['/'])
})

/** What docs/protocol.md says of each of the three callers, if this server has no usable response. */
async function requireUncertain(t: TestContext, url: string): Promise<void> {
  const platform = { platformApiBase: url, credential: 'plugin-credential', timeoutMs: 300 }
  await assert.rejects(callPlatform(platform, '/resolve', {}), {
    errorCode: 'PLATFORM_UNCERTAIN',
    retryable: true,
  })
  const { installation, resource, propertyKey } = eventNamed('changed')
  await assert.rejects(resolveReference({ ...platform, installation, resource, propertyKey }), {
    errorCode: 'RESOLUTION_UNCERTAIN',
    retryable: true,
  })
  const { platformApiBase } = await eventTarget(t, { targetUrl: url })
  const store = memoryStore()
  const outbox = eventOutbox({ store, ...platform, platformApiBase })
  await store.transaction((tx) => outbox.publish(tx, eventNamed('changed')))
  await outbox.deliverDue()
  const [event] = await outbox.list()
  assert.equal(event?.state, 'PENDING')
  assert.equal(event.lastError?.errorCode, 'EVENT_RESULT_UNCERTAIN')
}

async function waitUntilClosed(open: ReadonlySet<Socket>): Promise<void> {
  for (let count = 0; open.size > 0 && count < 200; count++) await wait(10)
  assert.equal(open.size, 0, 'a connection is left open')
}
