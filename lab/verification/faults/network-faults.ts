import type { Socket } from 'node:net'
import { badEndpoint, done, fault, kind, timedOut, uncertain, unknown, unreachable } from './fault.ts'
import type { CallContext, Fault, Kind } from './fault.ts'

// Kinds 1 to 20: the connection and HTTP. None of them reveals what the plugin did, whatever the body contains.

const STEP_MS = 50

/** Writes a text repeatedly, for as long as the other side listens. */
function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), STEP_MS)
  socket.once('close', () => clearInterval(timer))
}

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'

/** A complete and valid success with a status that contradicts it. */
const status = (code: number, headers: Record<string, string> = {}): Fault =>
  fault(String(code), uncertain('PLUGIN_RESULT_UNKNOWN', code), ({ response, act }) => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers })
    response.end(code === 204 ? undefined : JSON.stringify(act()))
  })

function unterminatedChunk({ act }: CallContext): string {
  const body = JSON.stringify(act())
  return `${HEAD}transfer-encoding: chunked\r\n\r\n${Buffer.byteLength(body).toString(16)}\r\n${body}`
}

export const NETWORK_KINDS: readonly Kind[] = [
  kind(1, 'DNS failure', badEndpoint('unknown host', unreachable, 'unknownHost')),
  kind(
    2,
    'refused',
    badEndpoint('closed port', unreachable, 'closedPort'),
    badEndpoint('no route', unreachable, 'noRoute'),
  ),
  kind(3, 'black hole', badEndpoint('connection not accepted', timedOut, 'blackHole')),
  kind(
    4,
    'TLS error',
    badEndpoint('no TLS', unreachable, 'plainAtHttps'),
    badEndpoint('handshake broken off', unreachable, 'breaksHandshake'),
  ),
  kind(5, 'reset before read', badEndpoint('reset', unreachable, 'resetsAtOnce')),
  kind(
    6,
    'reset after read, no effect',
    fault('reset', unreachable, ({ socket }) => socket.resetAndDestroy()),
    fault('closed', unreachable, ({ socket }) => socket.end()),
  ),
  kind(
    7,
    'reset after effect',
    fault('reset', unreachable, ({ act, socket }) => {
      act()
      socket.resetAndDestroy()
    }),
  ),
  kind(
    8,
    'hang',
    fault('before the effect', timedOut, () => undefined),
    fault('after the effect', timedOut, ({ act }) => act()),
  ),
  kind(
    9,
    'slow headers',
    fault('one header at a time', timedOut, ({ act, socket }) => {
      act()
      socket.write(HEAD)
      drip(socket, 'x: y\r\n')
    }),
  ),
  kind(
    10,
    'slow body',
    fault('one blank at a time', timedOut, ({ act, socket }) => {
      act()
      socket.write(`${HEAD}content-length: 100000\r\n\r\n`)
      drip(socket, ' ')
    }),
  ),
  kind(
    11,
    'short body',
    fault('less than announced', unknown, ({ act, socket }) => {
      const body = JSON.stringify(act())
      socket.end(`${HEAD}content-length: ${Buffer.byteLength(body) + 1}\r\n\r\n${body}`)
    }),
  ),
  kind(
    12,
    'unterminated chunk',
    fault('then closed', unknown, (context) => context.socket.end(unterminatedChunk(context))),
    fault('then silent', timedOut, (context) => context.socket.write(unterminatedChunk(context))),
  ),
  kind(13, '500', status(500)),
  kind(14, '502, 503, 504', status(502), status(503), status(504)),
  kind(
    15,
    '429, absurd Retry-After',
    status(429, { 'retry-after': '1000000000' }),
    status(429, { 'retry-after': '-1' }),
    status(429, { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }),
  ),
  kind(16, '401, 403', status(401), status(403)),
  kind(17, '404, 410', status(404), status(410)),
  kind(18, '409', status(409)),
  kind(
    19,
    '307 elsewhere',
    fault('to a witness', unknown, ({ response, endpoints }) =>
      response.writeHead(307, { location: endpoints.witness }).end(),
    ),
  ),
  kind(
    20,
    '204, 1xx',
    status(204),
    fault('103 and then an answer', done, ({ act, json, socket }) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n')
      json(act())
    }),
    fault('101 and nothing more', unknown, ({ act, socket }) => {
      act()
      socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n')
    }),
  ),
]
