import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'

/** For `http.createServer`, Express and whatever else calls with Node's own request and response. */
export type NodeListener = (incoming: IncomingMessage, outgoing: ServerResponse) => void

/** Lets a fetch-style handler serve Node's own server. What the handler throws is answered with status 500. */
export const toNodeListener =
  (handler: (request: Request) => Promise<Response>): NodeListener =>
  (incoming, outgoing) => {
    void answer(handler, incoming, outgoing)
  }

async function answer(
  handler: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  try {
    await sendResponse(await handler(toRequest(incoming)), outgoing)
  } catch {
    if (!outgoing.headersSent) outgoing.writeHead(500)
    outgoing.end()
  }
}

/** The body is streamed, not read: the handler sets the limit. */
export function toRequest(incoming: IncomingMessage): Request {
  const { method = 'GET', url = '/' } = incoming
  // Only the path counts; the Host header is the caller's and is not believed.
  const address = new URL(url.replace(/^\/*/, '/'), 'http://plugin.invalid')
  const headers = new Headers()
  for (let index = 0; index + 1 < incoming.rawHeaders.length; index += 2)
    headers.append(incoming.rawHeaders[index] ?? '', incoming.rawHeaders[index + 1] ?? '')
  if (method === 'GET' || method === 'HEAD') return new Request(address, { method, headers })
  // The two libraries name the same web stream differently.
  const body = Readable.toWeb(incoming) as ReadableStream<Uint8Array>
  return new Request(address, { method, headers, body, duplex: 'half' })
}

/** Sends a whole response in one piece. */
export async function sendResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer())
  if (outgoing.destroyed) return
  outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(body)
}

export interface Listening {
  port: number
  /** `http://host:port`, without a slash at the end. */
  url: string
  /** Takes no new connection, waits for the calls in flight at most `graceMs` (10 s), then cuts what is left. */
  close(options?: { graceMs?: number }): Promise<void>
}

/** Serves a listener; port 0 lets the system choose, and the host is the loopback unless told. */
export async function listen(listener: NodeListener, port = 0, host = '127.0.0.1'): Promise<Listening> {
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 30_000 }, listener)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  // A server that listens on a port has such an address.
  const address = server.address() as AddressInfo
  return {
    port: address.port,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    close: ({ graceMs = 10_000 } = {}) =>
      new Promise((resolve) => {
        const cut = setTimeout(() => server.closeAllConnections(), graceMs)
        server.close(() => {
          clearTimeout(cut)
          resolve()
        })
        server.closeIdleConnections()
      }),
  }
}
