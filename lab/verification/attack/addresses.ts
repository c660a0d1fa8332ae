import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { notRefused } from './attack.ts'
import type { Attack, Target } from './attack.ts'

/** Spellings of the machine itself; each is tried with the ports of runtime and console, which no plugin may have. */
const LOOPBACK = [
  '127.0.0.1',
  'localhost',
  'localhost.',
  'LOCALHOST',
  'a.localhost',
  '127.1',
  '127.0.1',
  '127.2.3.4',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.1.',
  '0.0.0.0',
  '0',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
]
/** Addresses that only the machine or its network may call. */
const INTERNAL = [
  'http://169.254.169.254/latest/meta-data',
  'http://[fd00:ec2::254]/',
  'http://2852039166/',
  'http://0xa9fea9fe/',
  'http://10.0.0.1/',
  'http://192.168.0.1/',
  'http://172.16.0.1/',
  'http://100.64.0.1/',
  'http://[fe80::1]/',
  'http://[fc00::1]/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:1/',
  'ftp://127.0.0.1/',
  'javascript:alert(1)',
  'data:text/plain,x',
  'http://user:pass@127.0.0.1:1/',
  'http://127.0.0.1:0/',
  'http://127.0.0.1:1/#x',
  'http://127.0.0.1:1/?x=1',
  '//127.0.0.1:1/',
  'http://',
  'unix:/var/run/docker.sock',
]

/** Accepted, so that the others are refused for their address. */
const ALLOWED = 'http://127.0.0.1:1/'

/** Addresses of plugins, services and webhooks that the platform must not call. */
export function addressAttacks(target: Target): Attack[] {
  const { port } = new URL(target.console)
  const ports = [port, new URL(target.runtime).port]
  const own = LOOPBACK.flatMap((host) => ports.map((one) => `http://${host}:${one}/`))
  const settings = { title: 'Mallory', enabled: true }
  const places: [string, (url: string) => object][] = [
    ['/api/plugins/mallory', (endpoint) => ({ ...settings, endpoint })],
    ['/api/services/mallory', (url) => ({ ...settings, url, methods: [], owner: null, consumers: [] })],
  ]
  return [ALLOWED, ...own, ...INTERNAL].flatMap((url) => [
    ...places.map(([path, body]) => attempt(target, { method: 'PUT', path, body: body(url) }, url)),
    attempt(
      target,
      {
        method: 'POST',
        path: '/api/webhooks',
        body: { title: 'M', url, events: ['batch.finished'], scope: null, retryingAfterMinutes: 1 },
      },
      url,
    ),
  ])
}

function attempt(
  target: Target,
  { method, path, body }: { method: string; path: string; body: object },
  url: string,
): Attack {
  return {
    name: `${method} ${path} with ${url}`,
    async run() {
      const answer = await target.send({ method, path, as: 'admin', body: JSON.stringify(body) })
      const isAllowed = url === ALLOWED
      if (isAllowed)
        return answer.status === 200 ? null : `status ${answer.status}: ${answer.text.slice(0, 120)}`
      // because of the address, and nothing else
      return (
        notRefused(answer, [400]) ??
        (/"body\.(?:url|endpoint)"/.test(answer.text)
          ? null
          : `refused for another reason: ${answer.text.slice(0, 120)}`)
      )
    },
  }
}

type Reply = (response: ServerResponse, hit: string) => void
/** What a hostile receiver answers; `hit` is an address that must not be called. */
const REPLIES: Readonly<Record<string, Reply>> = {
  ...Object.fromEntries(
    [301, 302, 303, 307, 308].map((status) => [
      `a redirect with ${status}`,
      (response: ServerResponse, hit: string) => void response.writeHead(status, { location: hit }).end(),
    ]),
  ),
  'a refresh': (response, hit) => void response.writeHead(200, { refresh: `0;url=${hit}` }).end(),
  'a body without end': (response) => {
    response.writeHead(200)
    const more = setInterval(() => response.write('x'.repeat(65_536)), 5)
    response.on('close', () => clearInterval(more))
  },
  'a bomb': (response) =>
    void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000))),
  'a header of 60 kB': (response) => void response.writeHead(200, { 'x-a': 'a'.repeat(60_000) }).end(),
  'a hundred cookies': (response) =>
    void response
      .writeHead(200, { 'set-cookie': Array.from({ length: 100 }, (_, at) => `session=${at}`) })
      .end(),
  'no HTTP': (response) => void response.socket?.end('GARBAGE\r\n\r\n'),
  nothing: (response) => void response.socket?.destroy(),
}

/** Hostile responses to webhooks: none makes the platform call another address, and it still answers afterwards. */
export async function upstreamAttacks(target: Target): Promise<{ attacks: Attack[]; stop(): void }> {
  let isHit = false
  const called = new Set<string>()
  const server = createServer((request, response) => {
    const name = decodeURIComponent(request.url?.slice(1) ?? '')
    if (name === 'hit') isHit = true
    called.add(name)
    request.resume()
    const { port } = server.address() as AddressInfo
    const reply = REPLIES[name]
    if (reply === undefined) response.end()
    else reply(response, `http://127.0.0.1:${port}/hit`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const write = (method: string, path: string, body?: object) =>
    target.send({ method, path, as: 'admin', ...(body !== undefined && { body: JSON.stringify(body) }) })
  const attacks = Object.keys(REPLIES).map((name): Attack => ({
    name: `a receiver that answers with ${name}`,
    async run() {
      const url = `http://127.0.0.1:${port}/${encodeURIComponent(name)}`
      const created = await write('POST', '/api/webhooks', {
        title: name,
        url,
        events: ['batch.finished'],
        scope: null,
        retryingAfterMinutes: 1,
      })
      if (created.status !== 200) return `the webhook could not be created: ${created.text.slice(0, 100)}`
      const { webhook } = JSON.parse(created.text) as { webhook: { webhookId: string } }
      await write('POST', `/api/webhooks/${webhook.webhookId}/test`, {})
      for (let waited = 0; waited < 100 && !called.has(name); waited++)
        await new Promise((resolve) => setTimeout(resolve, 200))
      await new Promise((resolve) => setTimeout(resolve, 300))
      await write('DELETE', `/api/webhooks/${webhook.webhookId}`)
      if (!called.has(name)) return 'it was not called within 20 s'
      return isHit ? 'the platform followed it' : null
    },
  }))
  return { attacks, stop: () => server.close().closeAllConnections() }
}
