import { connect } from 'node:net'
import { notRefused } from './attack.ts'
import type { Attack, Request, Target } from './attack.ts'

const deep = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`
const MIB = 1_048_576

/** Bodies that another reader would read differently, or that cost more than they are: each is refused with 4xx. */
const BODIES: Readonly<Record<string, string>> = {
  'no JSON': '{',
  'a text after it': '{} {}',
  'a byte order mark': '\uFEFF{}',
  'a repeated key': '{"title":"a","title":"b"}',
  'a repeated key, escaped': '{"a":1,"\\u0061":2}',
  __proto__: '{"__proto__":{"admin":true}}',
  constructor: '{"constructor":{"prototype":{"admin":true}}}',
  'an unpaired surrogate': '{"title":"\\ud800"}',
  NUL: '{"title":"\\u0000"}',
  'a number that no reader keeps': '{"workspaceId":9007199254740993}',
  'an exponent': '{"workspaceId":1e999}',
  NaN: '{"workspaceId":NaN}',
  'single quotes': "{'title':'a'}",
  'a comment': '{}/* */',
  'nested arrays': deep(100_000),
  'nested objects': `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
  'very many keys': `{${Array.from({ length: 300_000 }, (_, at) => `"${at}":0`).join()}}`,
  'a string of 8 MiB': `{"title":"${'a'.repeat(8 * MIB)}"}`,
  'an array': '[]',
  'a text': '"x"',
  null: 'null',
  nothing: '',
}
const TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  'application/yaml',
  '',
]
const WRITES = [
  ['POST', '/api/webhooks'],
  ['POST', '/api/batches/plan'],
  ['PUT', '/api/plugins/mallory/reports/1.0.0'],
  ['PUT', '/api/bundles/staging/mallory/versions/1.0.0'],
] as const

/** Uploads of manifests, reports, plans and settings. */
export function inputAttacks(target: Target): Attack[] {
  const attack = (name: string, request: Request): Attack => ({
    name,
    run: async () => notRefused(await target.send(request), [400, 403, 404, 411, 413, 415, 422]),
  })
  return WRITES.flatMap(([method, path]) => [
    ...Object.entries(BODIES).map(([name, body]) =>
      attack(`${method} ${path} with ${name}`, { method, path, as: 'admin', body }),
    ),
    ...TYPES.map((type) =>
      attack(`${method} ${path} as ${type || 'no type'}`, {
        method,
        path,
        as: 'admin',
        body: '{}',
        headers: { 'content-type': type },
      }),
    ),
    attack(`${method} ${path} compressed`, {
      method,
      path,
      as: 'admin',
      body: '{}',
      headers: { 'content-encoding': 'gzip' },
    }),
  ])
}

/** Sockets that do nothing, or very slowly, and more streams than anybody needs: others are served meanwhile. */
export function limitAttacks(target: Target): Attack[] {
  const { port, host } = new URL(target.console)
  const session = `Host: ${host}\r\nX-Requested-By: console\r\nSec-Fetch-Site: same-origin\r\nCookie: ${target.cookieOf('viewer')}\r\n`
  const isServed = async (): Promise<string | null> => {
    const began = performance.now()
    const { status } = await target.send({ method: 'GET', path: '/api/session', as: 'operator' })
    const took = Math.round(performance.now() - began)
    return status === 200 && took < 3_000 ? null : `somebody else got ${status} after ${took} ms`
  }
  const flood = (name: string, count: number, text: string, waitMs: number): Attack => ({
    name,
    async run() {
      const sockets = Array.from({ length: count }, () => {
        const socket = connect(Number(port), '127.0.0.1', () => socket.write(text))
        return socket.on('error', () => undefined)
      })
      await new Promise((resolve) => setTimeout(resolve, waitMs))
      const seen = await isServed()
      for (const socket of sockets) socket.destroy()
      return seen
    },
  })
  return [
    flood('300 silent sockets', 300, '', 1_000),
    flood('300 heads that never end', 300, `GET /api/operations HTTP/1.1\r\n${session}`, 1_000),
    flood(
      '300 bodies that never end',
      300,
      `POST /api/webhooks HTTP/1.1\r\n${session}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
      1_000,
    ),
    flood(
      '100 bodies in pieces of one byte',
      100,
      `POST /api/webhooks HTTP/1.1\r\n${session}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(50_000)}`,
      1_000,
    ),
    {
      name: '20 bodies of a known length in pieces of one byte',
      async run() {
        const head = `POST /api/webhooks HTTP/1.1\r\n${session}Content-Type: application/json\r\nContent-Length: 200000\r\n\r\n`
        let refused = 0
        const sockets = Array.from({ length: 20 }, () => {
          const socket = connect(Number(port), '127.0.0.1', () => socket.setNoDelay().write(head))
          socket.on('error', () => undefined)
          return socket.once('data', (data) => {
            if (data.toString().startsWith('HTTP/1.1 413 ')) refused++
            socket.destroy()
          })
        })
        // the server is in this process, so it reads each byte before the next one is sent
        for (let sent = 0; sent < 20_000 && sockets.some(({ destroyed }) => !destroyed); sent++) {
          for (const socket of sockets) if (!socket.connecting && !socket.destroyed) socket.write(' ')
          await new Promise(setImmediate)
        }
        const seen = await isServed()
        for (const socket of sockets) socket.destroy()
        return refused < sockets.length ? `${refused} are refused` : seen
      },
    },
    flood(
      '300 requests in a row on each of 20 sockets',
      20,
      `GET /api/operations?limit=200 HTTP/1.1\r\n${session}\r\n`.repeat(300),
      500,
    ),
    {
      name: 'more than 20 streams of one session',
      async run() {
        const stopped = new AbortController()
        const headers = {
          cookie: target.cookieOf('viewer'),
          'x-requested-by': 'console',
          'sec-fetch-site': 'same-origin',
        }
        let open = 0
        await Promise.all(
          Array.from({ length: 60 }, async () => {
            const response = await fetch(`${target.console}/api/events`, { headers, signal: stopped.signal })
            if (response.status !== 200) return
            open++
            // a stream that another one replaces ends
            const read = () => response.text().catch(() => '')
            void read().then(() => open--)
          }),
        )
        await new Promise((resolve) => setTimeout(resolve, 1_000))
        const seen = await isServed()
        const left = open
        stopped.abort()
        return left > 20 ? `${left} streams of one session are open` : seen
      },
    },
  ]
}
