import { NON_CANONICAL_TARGETS, MALFORMED_TARGETS, sendRaw } from '#http-kit/testing-targets.ts'
import type { Attack, Target } from './attack.ts'

const ORIGIN_HEADERS = (host: string) =>
  `Host: ${host}\r\nX-Requested-By: console\r\nSec-Fetch-Site: same-origin\r\n`

/** How one request may be taken for two, or for one without its checks: each as sent, without its own host. */
const SMUGGLED: Readonly<Record<string, (session: string) => string>> = {
  'both lengths': (session) =>
    `POST /api/webhooks HTTP/1.1\r\n${session}Content-Type: application/json\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'two lengths': (session) =>
    `POST /api/webhooks HTTP/1.1\r\n${session}Content-Length: 2\r\nContent-Length: 30\r\n\r\n{}`,
  'a length with a sign': (session) =>
    `POST /api/webhooks HTTP/1.1\r\n${session}Content-Length: +2\r\n\r\n{}`,
  'a disguised encoding': (session) =>
    `POST /api/webhooks HTTP/1.1\r\n${session}Transfer-Encoding: xchunked\r\nContent-Length: 2\r\n\r\n{}`,
  'a space before the colon': (session) =>
    `POST /api/webhooks HTTP/1.1\r\n${session}Content-Length : 2\r\n\r\n{}`,
  'a chunk with an extension that ends early': (session) =>
    `POST /api/webhooks HTTP/1.1\r\n${session}Transfer-Encoding: chunked\r\n\r\n2;\nxx\r\n{}\r\n0\r\n\r\n`,
  'a folded header': (session) => `GET /api/operations HTTP/1.1\r\n${session}X-A: b\r\n Cookie: x=y\r\n\r\n`,
  'two hosts': (session) => `GET /api/operations HTTP/1.1\r\nHost: evil.example\r\n${session}\r\n`,
  'a bare line feed': (session) => `GET /api/operations HTTP/1.1\n${session.replaceAll('\r\n', '\n')}\n`,
  'HTTP/0.9': () => `GET /api/operations\r\n\r\n`,
  'HTTP/2 in plain text': () => `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`,
  'an upgrade': (session) =>
    `GET /api/operations HTTP/1.1\r\n${session.replace('X-Requested-By: console\r\n', '')}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  'a tunnel': () => `CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n`,
  'a header with NUL': (session) => `GET /api/operations HTTP/1.1\r\n${session}X-A: a\0b\r\n\r\n`,
  'a header of 64 kB': (session) =>
    `GET /api/operations HTTP/1.1\r\n${session}X-A: ${'a'.repeat(65_536)}\r\n\r\n`,
  'ten thousand headers': (session) =>
    `GET /api/operations HTTP/1.1\r\n${session}${'X-A: b\r\n'.repeat(10_000)}\r\n`,
}
const SERVED = /^HTTP\/1\.1 2\d\d/m

/** Spellings of paths, on both servers, with the session of the administrator: none reaches what the exact path reaches. */
export function pathAttacks(target: Target): Attack[] {
  const { port, host } = new URL(target.console)
  const session = `${ORIGIN_HEADERS(host)}Cookie: ${target.cookieOf('admin')}\r\nConnection: close\r\n`
  const raw = (name: string, text: string): Attack => ({
    name,
    async run() {
      const answer = await sendRaw(Number(port), text).catch(() => '')
      return SERVED.test(answer) ? `served: ${answer.slice(0, 60)}` : null
    },
  })
  const spelled = [...NON_CANONICAL_TARGETS, ...MALFORMED_TARGETS].flatMap((path) =>
    ['x', 'operations'].map((end) =>
      raw(`GET ${path} for ${end}`, `GET ${path.replace(/x$/, end)} HTTP/1.1\r\n${session}\r\n`),
    ),
  )
  return [...spelled, ...Object.entries(SMUGGLED).map(([name, write]) => raw(name, write(session)))]
}
