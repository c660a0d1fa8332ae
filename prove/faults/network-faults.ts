import type { Socket } from 'node:net'
import { done, uncertain } from './fault.ts'
import type { Kind, Wire } from './fault.ts'

// Kinds 1 to 20: the connection and HTTP. None of them says anything of what the plugin did, whatever the body holds.

const STEP_MS = 50

/** Writes one byte now and then, for as long as the other side listens. */
function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), STEP_MS)
  socket.once('close', () => clearInterval(timer))
}

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'

/** A full and valid success under a status that takes it back. */
function status(code: number, headers: Record<string, string> = {}) {
  return {
    name: String(code),
    how: {
      strike: ({ response, act }: Wire) => {
        response.writeHead(code, { 'content-type': 'application/json', ...headers })
        response.end(code === 204 ? undefined : JSON.stringify(act()))
      },
    },
    means: uncertain('PLUGIN_RESULT_UNKNOWN', code),
  }
}

const unreachable = uncertain('PLUGIN_UNREACHABLE')
const timedOut = uncertain('PLUGIN_TIMEOUT')
const unknown = uncertain('PLUGIN_RESULT_UNKNOWN')

export const NETWORK_KINDS: readonly Kind[] = [
  {
    number: 1,
    name: 'DNS failure',
    faults: [{ name: 'unknown host', how: { place: 'unknownHost' }, means: unreachable }],
  },
  {
    number: 2,
    name: 'refused',
    faults: [{ name: 'closed port', how: { place: 'closedPort' }, means: unreachable }],
  },
  {
    number: 3,
    name: 'black hole',
    faults: [{ name: 'nobody accepts', how: { place: 'blackHole' }, means: timedOut, isSlow: true }],
  },
  {
    number: 4,
    name: 'TLS error',
    faults: [
      { name: 'speaks no TLS', how: { place: 'plainAtHttps' }, means: unreachable },
      { name: 'breaks the handshake', how: { place: 'breaksHandshake' }, means: unreachable },
    ],
  },
  {
    number: 5,
    name: 'reset before read',
    faults: [{ name: 'reset', how: { place: 'resetsAtOnce' }, means: unreachable }],
  },
  {
    number: 6,
    name: 'reset after read, no effect',
    faults: [
      { name: 'reset', how: { strike: ({ socket }) => socket.resetAndDestroy() }, means: unreachable },
      { name: 'closed', how: { strike: ({ socket }) => socket.end() }, means: unreachable },
    ],
  },
  {
    number: 7,
    name: 'reset after effect',
    faults: [
      {
        name: 'reset',
        how: {
          strike: ({ act, socket }) => {
            act()
            socket.resetAndDestroy()
          },
        },
        means: unreachable,
      },
    ],
  },
  {
    number: 8,
    name: 'hang',
    faults: [
      { name: 'before the effect', how: { strike: () => undefined }, means: timedOut, isSlow: true },
      { name: 'after the effect', how: { strike: ({ act }) => act() }, means: timedOut, isSlow: true },
    ],
  },
  {
    number: 9,
    name: 'slow headers',
    faults: [
      {
        name: 'a header now and then',
        how: {
          strike: ({ act, socket }) => {
            act()
            socket.write(HEAD)
            drip(socket, 'x: y\r\n')
          },
        },
        means: timedOut,
        isSlow: true,
      },
    ],
  },
  {
    number: 10,
    name: 'slow body',
    faults: [
      {
        name: 'a blank now and then',
        how: {
          strike: ({ act, socket }) => {
            act()
            socket.write(`${HEAD}content-length: 100000\r\n\r\n`)
            drip(socket, ' ')
          },
        },
        means: timedOut,
        isSlow: true,
      },
    ],
  },
  {
    number: 11,
    name: 'short body',
    faults: [
      {
        name: 'less than announced',
        how: {
          strike: ({ act, socket }) => {
            const body = JSON.stringify(act())
            socket.end(`${HEAD}content-length: ${Buffer.byteLength(body) + 1}\r\n\r\n${body}`)
          },
        },
        means: unknown,
      },
    ],
  },
  {
    number: 12,
    name: 'unterminated chunk',
    faults: [
      {
        name: 'then closed',
        how: { strike: (wire) => wire.socket.end(unterminated(wire)) },
        means: unknown,
      },
      {
        name: 'then silent',
        how: { strike: (wire) => wire.socket.write(unterminated(wire)) },
        means: timedOut,
        isSlow: true,
      },
    ],
  },
  { number: 13, name: '500', faults: [status(500)] },
  { number: 14, name: '502, 503, 504', faults: [status(502), status(503), status(504)] },
  {
    number: 15,
    name: '429, absurd Retry-After',
    faults: [
      status(429, { 'retry-after': '1000000000' }),
      status(429, { 'retry-after': '-1' }),
      status(429, { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }),
    ],
  },
  { number: 16, name: '401, 403', faults: [status(401), status(403)] },
  { number: 17, name: '404, 410', faults: [status(404), status(410)] },
  { number: 18, name: '409', faults: [status(409)] },
  {
    number: 19,
    name: '307 elsewhere',
    faults: [
      {
        name: 'to a witness',
        how: {
          strike: ({ response, places }) => response.writeHead(307, { location: places.witness }).end(),
        },
        means: unknown,
      },
    ],
  },
  {
    number: 20,
    name: '204, 1xx',
    faults: [
      status(204),
      {
        name: '103 and then an answer',
        how: {
          strike: (wire) => {
            wire.socket.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n')
            wire.json(wire.act())
          },
        },
        means: done,
      },
      {
        name: '101 and nothing more',
        how: {
          strike: ({ act, socket }) => {
            act()
            socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n')
          },
        },
        means: unreachable,
      },
    ],
  },
]

function unterminated({ act }: Wire): string {
  const body = JSON.stringify(act())
  return `${HEAD}transfer-encoding: chunked\r\n\r\n${Buffer.byteLength(body).toString(16)}\r\n${body}`
}
