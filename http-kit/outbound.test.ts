import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { createServer as createHttpsServer } from 'node:https'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { parseEgressAllow } from './egress.ts'
import { createOutbound } from './outbound.ts'
import type { Resolver } from './outbound.ts'
import { testAuthority, testCertificate } from './testing-certificates.ts'
import { failureTraits, reasonOf, whyNoResponse } from './outbound-result.ts'
import { usedMemory } from './testing-memory.ts'
import type { Outbound, OutboundRequest } from './outbound-result.ts'

const KIB = 1024
const BYTES = '1\r\nx\r\n'.repeat(512 * KIB)

describe('outbound', () => {
  let received: { url: string; headers: Record<string, unknown>; body: string }[] = []
  let base = ''
  let outbound: Outbound
  const answers: Record<string, RequestListener> = {
    '/ok': (_, res) => res.setHeader('content-type', 'application/json').end('{"a":1}'),
    '/redirect': (_, res) => res.writeHead(307, { location: `${base}/ok` }).end(),
    '/big': (_, res) => res.end(Buffer.alloc(2 * KIB * KIB)),
    '/chunked': (_, res) => {
      for (let part = 0; part < 40; part++) res.write(Buffer.alloc(64 * KIB))
      res.end()
    },
    // each byte is a chunk of its own, and the last one never comes
    '/bytes': (_, res) => {
      res.writeHead(200, { 'transfer-encoding': 'chunked' }).flushHeaders()
      res.socket?.write(BYTES)
    },
    '/bomb': (_, res) => res.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(4 * KIB * KIB))),
    '/brotli': (_, res) => res.setHeader('content-encoding', 'br').end(brotliCompressSync('small')),
    '/notgzip': (_, res) => res.setHeader('content-encoding', 'gzip').end('plain'),
    '/half-gzip': (_, res) =>
      res.setHeader('content-encoding', 'gzip').end(gzipSync('{"a":1}'.repeat(99)).subarray(0, 20)),
    '/gzip-twice': (_, res) => res.setHeader('content-encoding', 'gzip, gzip').end('x'),
    '/two-headers': (_, res) => res.setHeader('content-encoding', ['gzip', 'gzip']).end('x'),
    '/zstd': (_, res) => res.setHeader('content-encoding', 'zstd').end('x'),
    '/reset': (req) => req.socket.destroy(),
    '/cut': (_, res) => {
      res.writeHead(200, { 'content-length': '100' })
      res.write('half')
      setTimeout(() => res.destroy(), 20)
    },
    '/slow': () => undefined,
    '/quiet': (_, res) => res.write('x'),
    '/drip': (_, res) => {
      const timer = setInterval(() => res.write('x'), 20)
      res.on('close', () => clearInterval(timer))
    },
    '/headers': (_, res) => res.setHeader('x-big', 'x'.repeat(20 * KIB)).end(),
  }
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      received.push({ url: req.url ?? '', headers: req.headers, body: Buffer.concat(chunks).toString() })
      answers[req.url ?? '']?.(req, res)
    })
  })

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    outbound = createOutbound({ egressAllow: parseEgressAllow('loopback'), connectTimeoutMs: 500 })
  })
  after(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await outbound.close()
  })

  const call = (url: string, more: Partial<OutboundRequest> = {}, by = outbound) =>
    by.request({
      method: 'POST',
      url,
      headers: { authorization: 'Bearer t' },
      body: Buffer.from('{}'),
      timeoutMs: 2000,
      ...more,
    })
  const reason = async (url: string, more: Partial<OutboundRequest> = {}, by = outbound) => {
    const result = await call(url, more, by)
    return result.kind === 'failed' ? result.reason : `answer ${result.status}`
  }

  it('tells which points a call reached', async () => {
    const reachedBy = async (url: string, timeoutMs = 2000) => {
      const reached: string[] = []
      await call(url, { timeoutMs, onProgress: (point) => reached.push(point) })
      return reached
    }
    assert.deepEqual(await reachedBy(`${base}/ok`), ['connected', 'answered'])
    assert.deepEqual(await reachedBy(`${base}/slow`, 100), ['connected'])
    assert.deepEqual(await reachedBy(`${base}/quiet`, 100), ['connected', 'answered'])
    assert.deepEqual(await reachedBy('http://127.0.0.1:9/'), [])
  })

  it('sends the given headers and body and nothing else (D04)', async () => {
    received = []
    const result = await call(`${base}/ok`)
    assert.ok(result.kind === 'response')
    assert.equal(result.status, 200)
    assert.equal(result.contentType, 'application/json')
    assert.equal(Buffer.from(result.body).toString(), '{"a":1}')
    const names = Object.keys(received[0]?.headers ?? {}).toSorted()
    assert.deepEqual(names, ['accept-encoding', 'authorization', 'connection', 'content-length', 'host'])
  })

  it('does not follow a redirect (E03)', async () => {
    received = []
    assert.equal(await reason(`${base}/redirect`), 'redirect')
    assert.equal(received.length, 1)
  })

  it('holds no more of a response than its bytes, however small its pieces are (E05)', async () => {
    const before = usedMemory()
    const stopped = new AbortController()
    const calls = [1, 2, 3].map(() => reason(`${base}/bytes`, { timeoutMs: 60_000, signal: stopped.signal }))
    await sleep(2_000)
    const held = usedMemory() - before
    stopped.abort()
    assert.deepEqual(await Promise.all(calls), ['aborted', 'aborted', 'aborted'])
    // 4 MB of buffers, and what the sockets of the server have not sent yet
    assert.ok(held < 40, `${held} MB`)
  })

  it('distinguishes the reasons for failure (E05)', async () => {
    assert.equal(await reason(`${base}/big`), 'too-large')
    assert.equal(await reason(`${base}/chunked`), 'too-large')
    assert.equal(await reason(`${base}/bomb`), 'too-large')
    assert.equal(await reason(`${base}/half-gzip`), 'cut')
    assert.equal(await reason(`${base}/reset`), 'reset')
    assert.equal(await reason(`${base}/cut`), 'cut')
    assert.equal(await reason(`${base}/slow`, { timeoutMs: 100 }), 'timeout')
    assert.equal(await reason(`${base}/drip`, { timeoutMs: 150 }), 'timeout')
    assert.equal(await reason(`${base}/headers`), 'too-large')
    assert.equal(await reason(`${base}/ok`, { headers: { 'x-bad': 'a\r\nb: c' } }), 'refused')
    assert.equal(await reason('http://127.0.0.1:9/'), 'refused')
    assert.equal(await reason('http://no-such-host.invalid/'), 'dns')
    assert.equal(await reason(base.replace('http:', 'https:')), 'tls')
    assert.equal(await reason(`${base}/slow`, { signal: AbortSignal.timeout(50) }), 'aborted')
    assert.equal(await reason(`${base}/ok`, { signal: AbortSignal.abort() }), 'aborted')
  })

  it('distinguishes a host without a route from one that refuses', async () => {
    const far = createOutbound({ egressAllow: parseEgressAllow('http://224.0.0.1') })
    try {
      // no connection can be opened to a group of hosts
      assert.equal(await reason('http://224.0.0.1/', {}, far), 'no-route')
    } finally {
      await far.close()
    }
  })

  it('does not take a request for unsent when the route is lost after it was sent', async (test) => {
    const sockets: Socket[] = []
    // the channel passes each socket that this process opens
    const keep = (message: unknown) => void sockets.push((message as { socket: Socket }).socket)
    subscribe('net.client.socket', keep)
    test.after(() => unsubscribe('net.client.socket', keep))
    for (const code of ['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'ECONNREFUSED'])
      for (const [path, expected] of [
        ['/slow', 'reset'],
        ['/quiet', 'cut'],
      ] as const) {
        received = []
        const client = createOutbound({ egressAllow: parseEgressAllow('loopback') })
        const result = reason(`${base}${path}`, {}, client)
        await sleep(100)
        assert.equal(received.length, 1)
        sockets.at(-1)?.destroy(Object.assign(new Error(`read ${code}`), { code, syscall: 'read' }))
        assert.equal(await result, expected, `${code} ${path}`)
        await client.close()
      }
  })

  it('says that a response is encoded, which was not requested', async () => {
    for (const path of ['notgzip', 'gzip-twice', 'two-headers', 'zstd'])
      assert.equal(await reason(`${base}/${path}`), 'encoding', path)
  })

  it('says which interim response came that was not requested', async (test) => {
    const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'
    const after = async (interim: string): Promise<string> => {
      const raw = createTcpServer((socket) => {
        socket.on('error', () => undefined).once('data', () => socket.end(interim + ok))
      })
      test.after(() => raw.close())
      await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve))
      return reason(`http://127.0.0.1:${(raw.address() as AddressInfo).port}/`)
    }
    assert.equal(await after(''), 'answer 200')
    assert.equal(await after('HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n'), 'answer 200')
    assert.equal(await after('HTTP/1.1 100 Continue\r\n\r\n'), 'continue')
    const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'
    assert.equal(await after(upgrade), 'upgrade')
  })

  it('says what is wrong with a certificate (E03)', async (test) => {
    const trusted = getCACertificates('default')
    const servers: ReturnType<typeof createHttpsServer>[] = []
    test.after(async () => {
      setDefaultCACertificates(trusted)
      for (const one of servers) await new Promise((resolve) => one.close(resolve))
    })
    const by = await testAuthority()
    const serve = async (certificate: Parameters<typeof testCertificate>[0]) => {
      const one = createHttpsServer(await testCertificate({ by, ...certificate }), (_, res) => res.end())
      servers.push(one)
      await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve))
      return `https://localhost:${(one.address() as AddressInfo).port}/`
    }
    const [valid, expired, early, other] = [
      await serve({}),
      await serve({ isExpired: true }),
      await serve({ isEarly: true }),
      await serve({ names: ['elsewhere.example'] }),
    ]
    assert.equal(await reason(valid), 'tls-untrusted')
    setDefaultCACertificates([...trusted, by.cert])
    assert.equal(await reason(valid), 'answer 200')
    assert.equal(await reason(expired), 'tls-expired')
    assert.equal(await reason(early), 'tls-early')
    assert.equal(await reason(other), 'tls-wrong-name')
  })

  it('tells another protocol from a response that was cut off', async (test) => {
    const answering = async (text: string, isAtOnce: boolean) => {
      const raw = createTcpServer((socket) => {
        socket.on('error', () => undefined)
        if (isAtOnce) socket.end(text)
        else socket.once('data', () => socket.end(text))
      })
      test.after(() => raw.close())
      await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve))
      return reason(`http://127.0.0.1:${(raw.address() as AddressInfo).port}/`)
    }
    for (const text of ['SSH-2.0-OpenSSH_9.6\r\n', '220 mail.example SMTP\r\n'])
      for (const isAtOnce of [true, false]) assert.equal(await answering(text, isAtOnce), 'not-http', text)
    assert.equal(await answering('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{', false), 'cut')
    assert.equal(await answering('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx', false), 'cut')
  })

  it('probes an address by the same rules, and sends nothing', async (test) => {
    let bytes = 0
    const raw = createTcpServer((socket) => {
      socket.on('error', () => undefined).on('data', (chunk) => (bytes += chunk.length))
    })
    const by = await testAuthority()
    const secure = createHttpsServer(await testCertificate({ by, isExpired: true }))
    const trusted = getCACertificates('default')
    setDefaultCACertificates([...trusted, by.cert])
    test.after(() => {
      setDefaultCACertificates(trusted)
      raw.close()
      secure.close()
    })
    for (const one of [raw, secure]) await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve))
    const portOf = (one: { address(): unknown }) => (one.address() as AddressInfo).port
    const probe = async (url: string, from = outbound) => {
      const result = await from.probe({ url, timeoutMs: 1_000 })
      return result.kind === 'failed' ? result.reason : result.kind
    }
    assert.equal(await probe(`http://127.0.0.1:${portOf(raw)}/path`), 'reached')
    assert.equal(bytes, 0)
    assert.equal(await probe('http://127.0.0.1:9/'), 'refused')
    assert.equal(await probe('http://no-such-host.invalid/'), 'dns')
    assert.equal(await probe(`https://localhost:${portOf(secure)}/`), 'tls-expired')
    assert.equal(await probe(`https://127.0.0.1:${portOf(raw)}/`), 'timeout')
    const strict = createOutbound({ egressAllow: parseEgressAllow('http://10.0.0.0/8') })
    assert.equal(await probe(`http://127.0.0.1:${portOf(raw)}/`, strict), 'egress-denied')
    await strict.close()
  })

  it('unpacks a compressed response that fits (E05)', async () => {
    const result = await call(`${base}/brotli`)
    assert.equal(result.kind === 'response' && Buffer.from(result.body).toString(), 'small')
  })

  it('rejects every spelling of a forbidden address, before the first byte (E02)', async () => {
    const strict = createOutbound({
      egressAllow: parseEgressAllow('http://10.0.0.0/8, http://plugins.example.org'),
    })
    const { port } = server.address() as AddressInfo
    received = []
    let connections = 0
    const count = (): number => ++connections
    server.on('connection', count)
    const hosts = [
      '127.0.0.1',
      '127.1',
      '0x7f.1',
      '2130706433',
      '017700000001',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '①②⑦.0.0.1',
      'localhost',
      '0.0.0.0',
      '[::]',
    ]
    for (const host of hosts)
      assert.equal(await reason(`http://${host}:${port}/ok`, {}, strict), 'egress-denied', host)
    server.off('connection', count)
    assert.equal(received.length + connections, 0)
    await strict.close()
  })

  it('never calls the platform itself, whatever the rules allow (E02)', async () => {
    const { port } = server.address() as AddressInfo
    received = []
    // the second is recognized only by the address that the connection reaches
    for (const host of [null, 'localhost']) {
      const guarded = createOutbound({
        egressAllow: parseEgressAllow('loopback,http://127.0.0.0/8'),
        platform: () => [{ host, port }],
      })
      for (const spelling of ['127.0.0.1', 'localhost', '0x7f.1', '[::ffff:127.0.0.1]'])
        assert.equal(await reason(`http://${spelling}:${port}/ok`, {}, guarded), 'egress-denied', spelling)
      const { signal } = new AbortController()
      const stream = { url: `${base}/drip`, headers: {}, timeoutMs: 1000, idleMs: 1000, signal }
      assert.deepEqual(await guarded.stream(stream), { kind: 'failed', reason: 'egress-denied' })
      await guarded.close()
    }
    assert.deepEqual(received, [])
  })

  it('connects to the address that was checked, whatever a name resolves to next (E02)', async () => {
    const { port } = server.address() as AddressInfo
    const allowed = createServer((_, res) => res.setHeader('connection', 'close').end('{}'))
    await new Promise<void>((resolve) => allowed.listen(port, '127.0.0.2', resolve))
    let connections = 0
    const count = (): number => ++connections
    server.on('connection', count)
    /** What the resolver answers to one question after another. */
    const answers = [['127.0.0.2'], ['127.0.0.1'], ['127.0.0.1', '127.0.0.2'], ['::ffff:127.0.0.1'], []]
    const asked: string[] = []
    const rebinding = createOutbound({
      egressAllow: parseEgressAllow('http://127.0.0.2'),
      resolver: (hostname, _options, callback) => {
        const addresses = answers[asked.push(hostname) - 1] ?? []
        callback(
          null,
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        )
      },
    })
    const url = `http://plugin.example.org:${port}/ok`
    const seen: string[] = []
    for (const _ of answers) {
      const result = await rebinding.request({ method: 'GET', url, headers: {}, body: null, timeoutMs: 2000 })
      seen.push(result.kind === 'response' ? `${result.status}` : result.reason)
    }
    server.off('connection', count)
    assert.deepEqual(seen, ['200', 'egress-denied', '200', 'egress-denied', 'egress-denied'])
    // no address was asked for again between the check and the connection
    assert.deepEqual(
      asked,
      answers.map(() => 'plugin.example.org'),
    )
    assert.equal(connections, 0)
    await rebinding.close()

    // one that is allowed and turns out to be the platform is left before the first byte
    received = []
    const own = createOutbound({
      egressAllow: parseEgressAllow('http://plugin.example.org,loopback'),
      platform: () => [{ host: '127.0.0.1', port }],
      resolver: (_hostname, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
    })
    assert.equal(await reason(url, {}, own), 'egress-denied')
    assert.deepEqual(received, [])
    await own.close()
    await new Promise((resolve) => allowed.close(resolve))
  })

  it('calls nothing at a port of the platform while the name of the platform has no answer (E02)', async () => {
    received = []
    const { port } = server.address() as AddressInfo
    let code: string | null = 'EAI_AGAIN'
    let address = '127.0.0.1'
    const guarded = createOutbound({
      egressAllow: parseEgressAllow('loopback'),
      platform: () => [{ host: 'console.example.org', port }],
      resolver: (_hostname, _options, callback) =>
        code === null
          ? callback(null, [{ address, family: 4 }])
          : callback(Object.assign(new Error('away'), { code }), []),
    })
    const called = () => reason(`${base}/ok`, {}, guarded)
    assert.equal(await called(), 'dns')
    code = null
    assert.equal(await called(), 'egress-denied')
    // once it has had an answer, that is what counts
    code = 'EAI_AGAIN'
    assert.equal(await called(), 'egress-denied')
    assert.deepEqual(received, [])
    address = '192.0.2.1'
    for (code of [null, 'EAI_AGAIN'] as const) assert.equal(await called(), 'answer 200')
    code = 'ENOTFOUND'
    assert.equal(await called(), 'answer 200')
    await guarded.close()
  })

  it('asks once for a name that does not exist, however many calls wait for the answer', async () => {
    const unanswered: Parameters<Resolver>[2][] = []
    const patient = createOutbound({
      egressAllow: parseEgressAllow('loopback'),
      resolver(hostname, _options, callback) {
        if (hostname.startsWith('none')) unanswered.push(callback)
        else callback(null, [{ address: '127.0.0.1', family: 4 }])
      },
    })
    const { port } = server.address() as AddressInfo
    // each from a pool of its own; the last one ends when the others are waiting
    const [one, joined, answered] = ['http://none', 'https://none', 'http://other'].map((name) =>
      reason(`${name}.example.org:${port}/ok`, {}, patient),
    )
    assert.equal(await answered, 'answer 200')
    unanswered[0]?.(Object.assign(new Error('none'), { code: 'ENOTFOUND' }), [])
    assert.deepEqual(await Promise.all([one, joined]), ['dns', 'dns'])
    assert.equal(unanswered.length, 1)
    await patient.close()
  })

  it('asks for a name that nobody answers once, however many calls wait for it (E07)', async () => {
    const asked: string[] = []
    const unanswered: Parameters<Resolver>[2][] = []
    const patient = createOutbound({
      egressAllow: parseEgressAllow('loopback'),
      resolver(hostname, _options, callback) {
        asked.push(hostname)
        if (hostname.startsWith('silent')) unanswered.push(callback)
        else callback(null, [{ address: '127.0.0.1', family: 4 }])
      },
    })
    const { port } = server.address() as AddressInfo
    const urls = ['silent', 'silent', 'other', 'silent'].map(
      (name) => `http://${name}.example.org:${port}/ok`,
    )
    const [one, other, answered, third] = urls.map((url, at) =>
      // each from a pool of its own
      reason(at === 1 ? url.replace('http:', 'https:') : url, {}, patient),
    )
    assert.equal(await answered, 'answer 200')
    assert.deepEqual(asked, ['silent.example.org', 'other.example.org'])
    unanswered[0]?.(Object.assign(new Error('away'), { code: 'EAI_AGAIN' }), [])
    assert.equal(await one, 'dns')
    // the others may have come a moment ago: their question is a new one
    assert.deepEqual(asked.slice(2), ['silent.example.org'])
    unanswered[1]?.(null, [{ address: '127.0.0.1', family: 4 }])
    assert.deepEqual(await Promise.all([other, third]), ['tls', 'answer 200'])
    await patient.close()
  })

  it('rejects a user, a fragment and other schemes (E03)', async () => {
    for (const url of [
      base.replace('//', '//user:pw@'),
      `${base}/ok#x`,
      'ftp://127.0.0.1/',
      'file:///etc/hosts',
      'nonsense',
    ]) {
      assert.equal(await reason(url), 'egress-denied', url)
    }
  })

  it('sends nothing when the deadline passes while it waits for a connection', async () => {
    const one = createOutbound({ egressAllow: parseEgressAllow('loopback'), connectionsPerOrigin: 1 })
    received = []
    const [first, second] = await Promise.all([
      reason(`${base}/slow`, { timeoutMs: 300 }, one),
      reason(`${base}/ok`, { timeoutMs: 100 }, one),
    ])
    assert.deepEqual([first, second], ['timeout', 'timeout'])
    await new Promise((resolve) => setTimeout(resolve, 100))
    assert.deepEqual(
      received.map(({ url }) => url),
      ['/slow'],
    )
    await one.close()
  })

  it('delivers a stream as it arrives and ends it on the signal', async () => {
    const stop = new AbortController()
    const limits = { headers: {}, timeoutMs: 1000, idleMs: 1000, signal: stop.signal }
    const stream = await outbound.stream({ ...limits, url: `${base}/drip` })
    assert.ok(stream.kind === 'stream')
    let size = 0
    await assert.rejects(async () => {
      for await (const chunk of stream.body) {
        size += chunk.length
        if (size > 3) stop.abort()
      }
    })
  })

  it('ends a stream that is late, silent, discarded, or still open when the client closes', async () => {
    const { signal } = new AbortController()
    const limits = { headers: {}, timeoutMs: 1000, idleMs: 1000, signal }
    const late = await outbound.stream({ ...limits, url: `${base}/slow`, timeoutMs: 50 })
    assert.deepEqual(late, { kind: 'failed', reason: 'timeout' })
    const quiet = await outbound.stream({ ...limits, url: `${base}/quiet`, idleMs: 100 })
    assert.ok(quiet.kind === 'stream')
    await assert.rejects(async () => {
      for await (const chunk of quiet.body) assert.ok(chunk)
    })
    const unwanted = await outbound.stream({ ...limits, url: `${base}/drip` })
    assert.ok(unwanted.kind === 'stream')
    unwanted.discard()
    const other = createOutbound({ egressAllow: parseEgressAllow('loopback') })
    const open = await other.stream({ ...limits, url: `${base}/drip` })
    assert.ok(open.kind === 'stream')
    const reading = assert.rejects(async () => {
      for await (const chunk of open.body) assert.ok(chunk)
    })
    await other.close()
    await reading
  })
})

describe('reasonOf', () => {
  const errorOf = (code: string) => Object.assign(new Error('text'), { code })

  it('does not say of a request that was sent that nothing was sent', () => {
    const network = ['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'ECONNREFUSED', 'ENOTFOUND']
    for (const code of [...network, 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EPERM', 'EMFILE']) {
      assert.equal(failureTraits(reasonOf(errorOf(code), 'connecting')).isSent, false, code)
      assert.equal(reasonOf(errorOf(code), 'sent'), 'reset', code)
      assert.equal(reasonOf(errorOf(code), 'responding'), 'cut', code)
    }
  })

  it('takes the most telling error of several addresses, in any order', () => {
    const reasonFor = (...codes: string[]) =>
      reasonOf(Object.assign(new AggregateError(codes.map(errorOf)), { code: codes[0] }), 'connecting')
    assert.equal(reasonFor('ENETUNREACH', 'ECONNREFUSED'), 'refused')
    assert.equal(reasonFor('ECONNREFUSED', 'ENETUNREACH'), 'refused')
    assert.equal(reasonFor('ETIMEDOUT', 'ECONNREFUSED'), 'refused')
    assert.equal(reasonFor('ETIMEDOUT', 'EHOSTUNREACH'), 'no-route')
    assert.equal(reasonFor('ETIMEDOUT', 'ETIMEDOUT'), 'timeout')
    assert.equal(reasonFor('ECONNRESET', 'EHOSTUNREACH'), 'no-route')
    assert.equal(reasonFor('ETIMEDOUT', 'ECONNRESET'), 'reset')
    for (const code of ['EMFILE', 'ENOBUFS', 'EADDRNOTAVAIL'])
      assert.equal(reasonFor(code, code), 'no-socket')
  })
})

describe('whyNoResponse', () => {
  const why = (code: string) =>
    whyNoResponse(new TypeError('fetch failed', { cause: Object.assign(new Error('text'), { code }) }))

  it('tells what operators do different things about apart, always with the code', () => {
    const texts = {
      ECONNREFUSED: 'nothing listens there',
      EHOSTUNREACH: 'it cannot be routed to',
      ENETUNREACH: 'it cannot be routed to',
      UND_ERR_INVALID_ARG: 'the request to it is not valid',
      ECONNRESET: 'it closes the connection',
      ERR_SSL_WRONG_VERSION_NUMBER: 'it offers no TLS, or no version of it that is accepted',
      CERT_NOT_YET_VALID: 'its certificate is not valid yet; compare the clocks',
      ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
      CERT_REVOKED: 'its certificate is not accepted',
      CERT_SIGNATURE_FAILURE: 'its certificate is not accepted',
      UNABLE_TO_GET_CRL: 'its certificate is not accepted',
      INVALID_PURPOSE: 'its certificate is not accepted',
      ENETDOWN: 'it cannot be routed to',
      EADDRNOTAVAIL: 'this host has no free socket or port',
      HPE_INVALID_CONSTANT: 'the connection to it fails',
    }
    for (const [code, text] of Object.entries(texts)) assert.equal(why(code), `${text} (${code})`)
  })

  it('is null about something else', () => {
    for (const code of ['OAUTH_INVALID_RESPONSE', 'constructor', 'ERR_INVALID_URL'])
      assert.equal(why(code), null)
  })
})
