import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import type { HttpBindings } from '@hono/node-server'
import { SettingsError } from './settings.ts'

/** Handles a request itself and returns true, or leaves it to the app. */
export type RequestFront = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean

export interface Served {
  app: { fetch(request: Request, env: HttpBindings): Response | Promise<Response> }
  /** Called first, with Node's own request: for handlers that are not fetch handlers. */
  front?: RequestFront
}

export interface ListenOptions {
  /** 0 lets the system choose. */
  port: number
  /** The address to listen on, such as `127.0.0.1`; default all. */
  hostname?: string | undefined
  /** The variable that sets the address, for the message if the address is not one of this machine. */
  addressVariable?: string
  /** The variable that sets the port, for the message if the port is taken. */
  portVariable?: string
  /** Closes a connection that makes no progress for this long during a request; default 60,000. */
  idleMs?: number
  /** How long a request waits until there is something to serve; default 5,000. */
  startMs?: number
  /** The bytes that the headers of a request may have together; default 16 KiB. */
  maxHeaderBytes?: number
  /** The headers of responses that no app gives: to what is not HTTP, and during the start; default {@link PLAIN_HEADERS}. */
  headers?: Readonly<Record<string, string>>
}

/** For a response that no browser may render, guess the type of, or keep. */
const PLAIN_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
}

/** Longer than the pause between two heartbeats of an event stream, and than any request may take. */
const IDLE_MS = 60_000
/** Longer than a start without migrations, shorter than a proxy or a person waits. */
const START_MS = 5_000
const HEADER_BYTES = 16 * 1024

export interface RunningServer {
  port: number
  /**
   * Accepts no new connections, lets requests finish for at most `graceMs` (10 s), then aborts the rest. Idempotent;
   * the first call counts.
   */
  stop(options?: { graceMs?: number }): Promise<void>
}

export interface Listener extends RunningServer {
  /** Serves requests from now on. */
  serve(served: Served): void
}

/** {@link listen} and serve immediately. */
export async function serve({ app, front, ...options }: Served & ListenOptions): Promise<RunningServer> {
  const listener = await listen(options)
  listener.serve({ app, ...(front !== undefined && { front }) })
  return listener
}

/**
 * Opens a port, with limits against slow clients. A program opens its ports before it creates anything, so a port in use
 * leaves nothing half-created. Requests wait until there is something to serve, so that a proxy in front of a program that is
 * being replaced passes on no error; after `startMs` they get 503.
 *
 * @throws SettingsError if the port is taken or not permitted.
 */
export async function listen({
  port,
  hostname,
  addressVariable = 'RUNTIME_HOST',
  portVariable = 'PORT',
  idleMs = IDLE_MS,
  startMs = START_MS,
  maxHeaderBytes = HEADER_BYTES,
  headers = PLAIN_HEADERS,
}: ListenOptions): Promise<Listener> {
  let handler: Handler | null = null
  const waiting = new Set<() => void>()
  const own = { ...headers, 'cache-control': 'no-store', 'content-type': 'text/plain' }
  const respondStarting: Handler = (_, outgoing) =>
    void outgoing.writeHead(503, { ...own, 'retry-after': '1' }).end('The program is starting.\n')
  const wait: Handler = (incoming, outgoing) => {
    const proceed = (): void => {
      clearTimeout(timer)
      waiting.delete(proceed)
      if (!outgoing.destroyed) (handler ?? respondStarting)(incoming, outgoing)
    }
    const timer = setTimeout(proceed, startMs)
    waiting.add(proceed)
  }
  const proceedAll = (): void => {
    for (const proceed of waiting) proceed()
  }
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 5_000,
      connectionsCheckingInterval: 5_000,
      maxHeaderSize: maxHeaderBytes,
      noDelay: true,
      // Node's own response would not have our headers
      requireHostHeader: false,
    },
    (incoming, outgoing) => {
      if (incoming.headers.host === undefined && incoming.httpVersion === '1.1')
        return void outgoing.writeHead(400, { ...own, connection: 'close' }).end('Bad request\n')
      if (!isPathOrUrl(incoming.url ?? '')) incoming.url = NON_CANONICAL_PATH
      inTurn(incoming, outgoing, () => (handler ?? wait)(incoming, outgoing))
    },
  )
  server.on('checkExpectation', (_, outgoing: ServerResponse) =>
    outgoing.writeHead(417, { ...own, connection: 'close' }).end(),
  )
  server.on('clientError', (error, socket) => answerRaw(error, socket, own))
  server.maxConnections = 10_000
  // also covers a client that does not read its response: a blocked write does not count as progress
  server.timeout = idleMs
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(startError(error, port, { addressVariable, portVariable })))
    // an IPv6 address may be written as in a URL
    server.listen({ port, host: hostname?.replace(/^\[(.*)\]$/, '$1') }, resolve)
  })
  const { port: actualPort } = server.address() as AddressInfo
  const stop = (graceMs: number): Promise<void> =>
    new Promise((resolve) => {
      const cut = setTimeout(() => server.closeAllConnections(), graceMs)
      proceedAll()
      server.close(() => {
        clearTimeout(cut)
        resolve()
      })
    })
  let stopping: Promise<void> | undefined
  return {
    port: actualPort,
    serve({ app, front }) {
      const listener = getRequestListener((request, env) => app.fetch(request, env as HttpBindings))
      handler = (incoming, outgoing) => {
        if (front?.(incoming, outgoing) !== true) void listener(incoming, outgoing)
      }
      proceedAll()
    },
    stop: ({ graceMs = 10_000 } = {}) => (stopping ??= stop(graceMs)),
  }
}

/** How many requests of one connection may wait for the one that is being served. Browsers and proxies send none ahead. */
const AHEAD_MAX = 16

/** The last request of each connection, and how many wait for it and those before. */
const turns = new WeakMap<Duplex, { last: ServerResponse; waiting: number }>()

/**
 * Serves the requests of a connection one after the other, as they are answered anyway, so that requests sent ahead do not compete
 * with those of others. Closes a connection with too many.
 */
function inTurn({ socket }: IncomingMessage, outgoing: ServerResponse, handle: () => void): void {
  const before = turns.get(socket)
  const isFree = before === undefined || before.last.writableFinished || before.last.destroyed
  const waiting = isFree ? 0 : before.waiting + 1
  if (waiting > AHEAD_MAX) return void socket.destroy()
  const turn = { last: outgoing, waiting }
  turns.set(socket, turn)
  if (isFree) return handle()
  before.last.once('close', () => {
    const current = turns.get(socket)
    if (current !== undefined) current.waiting--
    if (!outgoing.destroyed) handle()
  })
}

type Handler = (incoming: IncomingMessage, outgoing: ServerResponse) => void

/** The status of a request that Node's parser refuses. Node would answer the same, without headers. */
const REFUSED: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** Answers what could not be read as a request, and ends the connection; in the middle of an answer it only ends it. */
function answerRaw(
  error: Error & { code?: string },
  socket: Duplex & { _httpMessage?: ServerResponse | null },
  headers: Readonly<Record<string, string>>,
): void {
  const isAnswering = socket._httpMessage?.headersSent === true
  if (!socket.writable || isAnswering || error.code === 'ECONNRESET') return void socket.destroy(error)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const status = REFUSED[error.code ?? ''] ?? '400 Bad Request'
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}connection: close\r\ncontent-length: 0\r\n\r\n`)
}

/** Not a canonical path, so the app responds with 404 and its own headers. */
const NON_CANONICAL_PATH = '/%00'

/**
 * Hono itself would respond with 400, without the headers of the app, to a target that is neither a path nor a URL, and
 * to a backslash.
 */
function isPathOrUrl(target: string): boolean {
  return /^(?:\/|https?:\/\/)/.test(target) && !(target.split('?', 1)[0] ?? '').includes('\\')
}

function startError(
  error: Error & { code?: string },
  port: number,
  { addressVariable, portVariable }: { addressVariable: string; portVariable: string },
): Error {
  if (error.code === 'EADDRINUSE')
    return new SettingsError(
      `${portVariable} is wrong: port ${port} is already in use; choose another one, or stop the program that listens there`,
    )
  if (error.code === 'EACCES')
    return new SettingsError(
      `${portVariable} is wrong: this user may not open port ${port}; choose one from 1024 on, or give the program the capability CAP_NET_BIND_SERVICE`,
    )
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN')
    return new SettingsError(`${addressVariable} is wrong: it is not an address of this machine`)
  return error
}
