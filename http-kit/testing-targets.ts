import { connect } from 'node:net'

/** Request targets that name `/api/x`, or appear to, and are not canonical. Prefixes: api, auth, idp. */
export const NON_CANONICAL_TARGETS = [
  '//api/x',
  '/api//x',
  '/api/./x',
  '/api/../x',
  '/api/x/..',
  '/./api',
  '/api/%2e%2e/x',
  '/api/.%2E/x',
  '/api%2Fx',
  '/api%2fx',
  '/api%5cx',
  '/api\\x',
  '/api/x%00',
  '/api/x%0d%0a',
  '/api;/x',
  '/api/x;a=b',
  '/API/x',
  '/Api/x',
  '/aPi',
  '/AUTH/login',
  '/%61pi/x',
  '/a%70i/x',
  '/api/%78',
  '/api/%58',
  '/api/x%5F',
  '/api/x%2D',
  '/api/%7Ex',
  '/api/%30',
  '/api/%',
  '/api/%zz',
  '/api/%ff',
  // overlong UTF-8 of "/" and "."
  '/api/%c0%afx',
  '/api/%c0%ae',
  '/api/%e0%80%af',
  'http://evil.example/api/x',
  '*',
  '/api/x#y',
  '/api/x%7f',
  '/api/<x>',
  '/api/x%1f',
]

/** Targets that are not valid HTTP: Node's parser responds with 400 before there is a request. */
export const MALFORMED_TARGETS = ['', 'api/x', '/api/é', '/api/a b']

/** Sends one request as written, which no client library would send; returns everything that is received. */
export function sendRaw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'))
    let answer = ''
    socket.on('data', (chunk) => (answer += chunk.toString()))
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
}

/** Sends a GET for a target exactly as given. */
export function getTarget(
  port: number,
  target: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const lines = Object.entries({ host: `localhost:${port}`, connection: 'close', ...headers })
  return sendRaw(
    port,
    [`GET ${target} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n'),
  )
}
