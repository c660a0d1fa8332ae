import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { Hono } from 'hono'
import { readBody, readJsonBody, canonicalPath, isCanonicalTarget, requestId } from './requests.ts'
import type { RequestIdVariables } from './requests.ts'
import { TransportError, transportProblem } from './problem-response.ts'
import { listen, serve } from './serve.ts'
import { SettingsError } from './settings.ts'
import { getTarget, MALFORMED_TARGETS, NON_CANONICAL_TARGETS, sendRaw } from './testing-targets.ts'

const PREFIXES = ['api', 'auth', 'idp']
const CANONICAL = [
  '/',
  '/api/x',
  '/api/x/?q=//..%2f',
  '/a%20b',
  '/%E6%9C%8D',
  '/api/a%3Bb',
  "/api/a:b@c,d=e~!$&'()*+",
]
function app() {
  return new Hono<{ Variables: RequestIdVariables }>()
    .use(requestId({ trustInbound: false }))
    .use(canonicalPath({ prefixes: PREFIXES }))
    .get('/api/x', (c) => c.text('protected'))
    .post('/api/x', async (c) => c.json({ size: (await readBody(c.req.raw, 1000)).length }))
    .post('/api/long', async (c) => c.json({ size: (await readBody(c.req.raw, 10_000)).length }))
    .post('/api/json', async (c) => c.json({ got: (await readJsonBody(c.req.raw, 1000))?.json ?? 'nothing' }))
    .get('/api/fail', () => {
      throw new Error('SELECT secret FROM /srv/app')
    })
    .all('*', (c) => c.html('shell'))
    .onError((error, c) => transportProblem(error, c.var.requestId))
}

describe('canonical targets', () => {
  it('accepts only one spelling (D02)', () => {
    for (const target of CANONICAL) assert.equal(isCanonicalTarget(target, PREFIXES), true, target)
    for (const target of [...NON_CANONICAL_TARGETS, ...MALFORMED_TARGETS])
      assert.equal(isCanonicalTarget(target, PREFIXES), false, target)
  })

  it('responds with 404 to every other spelling on the wire, never with a page (D01, D02)', async (t) => {
    const server = await serve({ app: app(), port: 0, hostname: '127.0.0.1' })
    t.after(() => server.stop())
    for (const target of MALFORMED_TARGETS)
      assert.match(await getTarget(server.port, target), /^HTTP\/1\.1 400 /, target)
    for (const target of NON_CANONICAL_TARGETS) {
      const answer = await getTarget(server.port, target)
      assert.match(answer, /^HTTP\/1\.1 404 /, target)
      assert.match(answer, /x-request-id: .*"code":"NOT_FOUND"/is, target)
      assert.doesNotMatch(answer, /protected|shell/, target)
    }
  })
})

describe('bodies', () => {
  const post = (init: RequestInit & { duplex?: 'half' }, path = '/api/x') =>
    app().request(path, { method: 'POST', ...init })
  const chunks = (count: number, bytes = 100): ReadableStream<Uint8Array> => {
    let sent = 0
    return new ReadableStream({
      pull: (controller) => (sent++ < count ? controller.enqueue(new Uint8Array(bytes)) : controller.close()),
    })
  }

  it('accepts bodies up to the limit and rejects larger ones, announced or not (D07)', async () => {
    assert.deepEqual(await (await post({ body: 'x'.repeat(1000) })).json(), { size: 1000 })
    assert.deepEqual(await (await post({ body: chunks(10), duplex: 'half' })).json(), { size: 1000 })
    assert.equal((await post({ body: 'x'.repeat(1001) })).status, 413)
    assert.equal((await post({ body: 'x', headers: { 'content-length': '1001' } })).status, 413)
    assert.equal((await post({ body: chunks(1e9), duplex: 'half' })).status, 413)
  })

  it('rejects a body in very many small pieces, which cost more than their bytes (D07, J01)', async () => {
    for (const announced of [false, true]) {
      const send = (count: number) => {
        const headers = new Headers(announced ? { 'content-length': `${count}` } : {})
        return post({ body: chunks(count, 1), duplex: 'half', headers }, '/api/long')
      }
      assert.deepEqual(await (await send(4_000)).json(), { size: 4_000 })
      const refused = await send(5_000)
      assert.equal(refused.status, 413)
      assert.match(await refused.text(), /too many pieces of less than 256 bytes/)
    }
  })

  it('rejects compressed bodies and other types (D07)', async () => {
    assert.equal((await post({ body: 'x', headers: { 'content-encoding': 'gzip' } })).status, 415)
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json5',
      'application/json; charset=latin1',
    ]) {
      assert.equal(
        (await post({ body: '{}', headers: { 'content-type': type } }, '/api/json')).status,
        415,
        type,
      )
    }
    const json = await post(
      { body: '{"a":1}', headers: { 'content-type': 'application/json; charset=UTF-8' } },
      '/api/json',
    )
    assert.deepEqual(await json.json(), { got: { a: 1 } })
    assert.deepEqual(await (await post({}, '/api/json')).json(), { got: 'nothing' })
  })
})

describe('problems', () => {
  it('contains code and request id, and nothing about the cause (I01)', async () => {
    const response = await app().request('/api/fail', { headers: { 'x-request-id': 'chosen-by-caller' } })
    const id = response.headers.get('x-request-id')
    assert.match(id ?? '', /^[0-9a-f-]{36}$/)
    assert.equal(response.headers.get('content-type'), 'application/problem+json')
    assert.deepEqual(await response.json(), {
      type: 'about:blank',
      title: 'An internal error occurred',
      status: 500,
      code: 'INTERNAL_ERROR',
      message: 'An internal error occurred',
      parameters: { reason: 'INTERNAL_ERROR' },
      requestId: id,
    })
  })

  it('carries the headers of the error, and the reason of its message', async () => {
    const shown = platformMessage('databaseFull')
    const response = transportProblem(
      new TransportError('SERVICE_UNAVAILABLE', shown, { 'retry-after': '5' }),
      'r',
    )
    assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '5'])
    const { message, parameters } = (await response.json()) as Record<string, unknown>
    assert.deepEqual({ message, parameters }, shown)
  })
})

describe('request ids', () => {
  it('keeps only well-formed ids of trusted callers', async () => {
    const trusting = new Hono().use(requestId({ trustInbound: true })).get('/', (c) => c.text(''))
    const idFor = async (id: string) =>
      (await trusting.request('/', { headers: { 'x-request-id': id } })).headers.get('x-request-id')
    assert.equal(await idFor('abc-1'), 'abc-1')
    for (const bad of ['a b', 'x'.repeat(65), '<x>']) assert.notEqual(await idFor(bad), bad)
  })
})

describe('serve', () => {
  it('calls the front first, then the app', async () => {
    const server = await serve({
      app: app(),
      port: 0,
      hostname: '127.0.0.1',
      front: (incoming, outgoing) => {
        if (!incoming.url?.startsWith('/idp')) return false
        outgoing.end('front')
        return true
      },
    })
    const base = `http://127.0.0.1:${server.port}`
    assert.equal(await (await fetch(`${base}/idp/x`)).text(), 'front')
    assert.equal(await (await fetch(`${base}/api/x`)).text(), 'protected')
    const smuggled =
      'POST /api/x HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'
    assert.match(await sendRaw(server.port, smuggled), /^HTTP\/1\.1 400 /)
    await assert.rejects(serve({ app: app(), port: server.port, hostname: '127.0.0.1' }), (error) => {
      assert.ok(error instanceof SettingsError)
      assert.match(error.message, /^PORT is wrong: port \d+ is already in use; choose another one, /)
      return true
    })
    // an address reserved for documentation, which no machine has
    const elsewhere = serve({ app: app(), port: 0, hostname: '192.0.2.1' })
    await assert.rejects(elsewhere, /HOST is wrong: it is not an address of this machine$/)
    await server.stop()
  })

  it('answers what is not HTTP with the headers of every response (C01, C02, D01)', async () => {
    const headers = { 'x-content-type-options': 'nosniff', 'strict-transport-security': 'max-age=31536000' }
    const server = await serve({ app: app(), port: 0, hostname: '127.0.0.1', headers })
    const post = (head: string, body = '') => `POST /api/x HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n${body}`
    for (const [what, bytes, status] of [
      ['two lengths', post('Content-Length: 4\r\nContent-Length: 5', 'abcde'), 400],
      ['a length and chunks', post('Content-Length: 4\r\nTransfer-Encoding: chunked', '0\r\n\r\n'), 400],
      ['chunks, twice', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', '0\r\n\r\n'), 400],
      ['another coding', post('Transfer-Encoding: xchunked', '0\r\n\r\n'), 400],
      ['a space before the colon', post('Content-Length : 4', 'abcd'), 400],
      ['a folded header', post('X-A: b\r\n c: d'), 400],
      ['a bare line feed', 'GET /api/x HTTP/1.1\nHost: a\n\n', 400],
      ['a bare carriage return', 'GET /api/x HTTP/1.1\r\nHost: a\rX-B: c\r\n\r\n', 400],
      ['a negative length', post('Content-Length: -1'), 400],
      ['a length with a sign', post('Content-Length: +4', 'abcd'), 400],
      ['a hexadecimal length', post('Content-Length: 0x4', 'abcd'), 400],
      ['a NUL in a header', post('X-A: b\0c'), 400],
      ['no host', 'GET /api/x HTTP/1.1\r\n\r\n', 400],
      ['no HTTP', 'hello\r\n\r\n', 400],
      ['very long headers', post(`X-A: ${'b'.repeat(32_768)}`), 431],
      ['another expectation', post('Expect: a-miracle\r\nContent-Length: 0'), 417],
    ] as const) {
      const answer = await sendRaw(server.port, bytes)
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), what)
      assert.match(answer, /\r\nx-content-type-options: nosniff\r\n/i, what)
      assert.match(answer, /\r\nstrict-transport-security: max-age=31536000\r\n/i, what)
      assert.match(answer, /\r\ncache-control: no-store\r\n/i, what)
      assert.doesNotMatch(answer, /protected/, what)
    }
    const badChunk = post('Transfer-Encoding: chunked', 'x\r\n')
    assert.doesNotMatch(await sendRaw(server.port, badChunk), /protected/)
    await server.stop()
  })

  it('has headers of its own without others (C02)', async () => {
    const server = await serve({ app: app(), port: 0, hostname: '127.0.0.1' })
    const answer = await sendRaw(server.port, 'hello\r\n\r\n')
    assert.match(answer, /^HTTP\/1\.1 400 [^]*content-security-policy: default-src 'none'/)
    await server.stop()
  })

  it(
    'closes the connection of a client that does not read its response (D08)',
    { timeout: 10_000 },
    async () => {
      const cancelled = Promise.withResolvers<void>()
      const endless = new Hono().get('/', (c) => {
        const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void =>
          controller.enqueue(new Uint8Array(64 * 1024))
        return c.body(new ReadableStream<Uint8Array>({ pull, cancel: () => cancelled.resolve() }))
      })
      const server = await serve({ app: endless, port: 0, hostname: '127.0.0.1', idleMs: 100 })
      const client = connect(server.port, '127.0.0.1', () =>
        client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'),
      )
      client.on('error', () => undefined).pause()
      await cancelled.promise
      client.destroy()
      await server.stop()
    },
  )

  it('serves requests that a connection sends ahead one at a time, and not too many (J01)', async (t) => {
    let [active, most, served] = [0, 0, 0]
    const slow = new Hono().get('/', async (c) => {
      served++
      most = Math.max(most, ++active)
      await new Promise((resolve) => setTimeout(resolve, 5))
      active--
      return c.text('done')
    })
    const server = await serve({ app: slow, port: 0, hostname: '127.0.0.1' })
    t.after(() => server.stop())
    const request = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'
    const last = request.replace('Host', 'Connection: close\r\nHost')
    const answers = await sendRaw(server.port, request.repeat(9) + last)
    assert.deepEqual([answers.split('done').length - 1, served, most], [10, 10, 1])
    served = 0
    await sendRaw(server.port, request.repeat(1_000) + last).catch(() => '')
    assert.ok(served <= 1, `${served}`)
  })

  it('responds with 503 until there is something to serve', async () => {
    const listener = await listen({ port: 0, hostname: '127.0.0.1' })
    const send = () => fetch(`http://127.0.0.1:${listener.port}/api/x`)
    const early = await send()
    assert.deepEqual([early.status, early.headers.get('retry-after')], [503, '1'])
    listener.serve({ app: app() })
    assert.equal((await send()).status, 200)
    await Promise.all([listener.stop(), listener.stop()])
  })

  it('finishes requests before it stops, and aborts those that take too long', async () => {
    let waiting = 0
    const bothWait = Promise.withResolvers<void>()
    const slow = new Hono().get('/:ms', async (c) => {
      if (++waiting === 2) bothWait.resolve()
      await new Promise((resolve) => setTimeout(resolve, Number(c.req.param('ms'))))
      return c.text('done')
    })
    const server = await serve({ app: slow, port: 0, hostname: '127.0.0.1' })
    const soon = fetch(`http://127.0.0.1:${server.port}/100`)
    const never = fetch(`http://127.0.0.1:${server.port}/2000`)
    const cut = assert.rejects(never)
    await bothWait.promise
    await server.stop({ graceMs: 500 })
    assert.equal(await (await soon).text(), 'done')
    await cut
  })
})
