import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { HttpBindings } from '@hono/node-server'
import { SettingsError } from './settings.ts'

/** Answers a request itself and returns true, or leaves it to the app. */
export type RequestFront = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean

export interface ServeOptions {
  app: { fetch(request: Request, env: HttpBindings): Response | Promise<Response> }
  /** 0 lets the system choose. */
  port: number
  /** The address to listen on, such as `127.0.0.1`; all where absent. */
  hostname?: string
  /** Asked first, with Node's own request: for a handler that is no fetch handler. */
  front?: RequestFront
  /** The variable that sets the port, for the message when it is taken. */
  portVariable?: string
  /** Closes a connection that makes no progress for this long during a request; 60,000 where absent. */
  idleMs?: number
}

/** Longer than the pause between two heartbeats of an event stream, and than any request may take. */
const IDLE_MS = 60_000

export interface RunningServer {
  port: number
  /** Takes no new connection, lets requests end for at most `graceMs` (10 s), then cuts what is left. */
  stop(options?: { graceMs?: number }): Promise<void>
}

/**
 * Starts an HTTP server with limits against slow clients.
 *
 * @throws SettingsError when the port is taken or not permitted.
 */
export async function serve({
  app,
  port,
  hostname,
  front,
  portVariable = 'PORT',
  idleMs = IDLE_MS,
}: ServeOptions): Promise<RunningServer> {
  const listener = getRequestListener((request, env) => app.fetch(request, env as HttpBindings))
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 5_000,
      connectionsCheckingInterval: 5_000,
      maxHeaderSize: 16 * 1024,
      noDelay: true,
    },
    (incoming, outgoing) => {
      if (front?.(incoming, outgoing) !== true) void listener(incoming, outgoing)
    },
  )
  server.maxConnections = 10_000
  // also covers a client that does not read its answer: a blocked write does not count as progress
  server.timeout = idleMs
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(startError(error, port, portVariable)))
    server.listen({ port, host: hostname }, resolve)
  })
  const { port: actualPort } = server.address() as AddressInfo
  return {
    port: actualPort,
    stop: ({ graceMs = 10_000 } = {}) =>
      new Promise((resolve) => {
        const cut = setTimeout(() => server.closeAllConnections(), graceMs)
        server.close(() => {
          clearTimeout(cut)
          resolve()
        })
      }),
  }
}

function startError(error: Error & { code?: string }, port: number, variable: string): Error {
  if (error.code === 'EADDRINUSE')
    return new SettingsError(`${variable} is wrong: port ${port} is already in use`)
  if (error.code === 'EACCES')
    return new SettingsError(`${variable} is wrong: port ${port} may not be opened by this user`)
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new SettingsError('The address to listen on is none of this machine')
  return error
}
