import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { CollectedBytes } from '../../../contract/protocol/collected-bytes.ts'
import { directHandlerOf, type HttpAnswer, type HttpCall } from './http.ts'

/** For `http.createServer`, Express and everything else that uses Node's own request and response. */
export type NodeListener = (incoming: IncomingMessage, outgoing: ServerResponse) => void

/** Adapts a fetch-style handler to Node's own server. Errors of the handler result in status 500. */
export function toNodeListener(handler: (request: Request) => Promise<Response>): NodeListener {
  const direct = directHandlerOf(handler)
  const answer =
    direct === null
      ? async (incoming: IncomingMessage, outgoing: ServerResponse) =>
          sendResponse(await handler(await toRequest(incoming)), outgoing)
      : async (incoming: IncomingMessage, outgoing: ServerResponse) =>
          send(await direct(nodeCall(incoming)), outgoing)
  return (incoming, outgoing) => {
    void answer(incoming, outgoing).catch(() => {
      if (!outgoing.headersSent) outgoing.writeHead(500)
      outgoing.end()
    })
  }
}

const nodeCall = (incoming: IncomingMessage): HttpCall => ({
  method: incoming.method ?? 'GET',
  url: pathOf(incoming),
  // joined as in fetch: of two authorizations, Node's own `headers` would choose one
  header: (name) => incoming.headersDistinct[name]?.join(', ') ?? null,
  read: (maxBytes) => readAll(incoming, maxBytes),
})

/** Only the path is used; the Host header comes from the caller and is not trusted. */
const pathOf = ({ url = '/' }: IncomingMessage): string => url.replace(/^\/*/, '/')

/** A body that announces at most this length is read at once: a web stream costs more than the rest of a small call. */
const AT_ONCE_BYTES = 64 * 1024

/** A longer body, or one of unknown length, is streamed and not buffered: the handler sets the limit. */
export async function toRequest(incoming: IncomingMessage): Promise<Request> {
  const { method = 'GET' } = incoming
  const address = `http://plugin.invalid${pathOf(incoming)}`
  const headers: [string, string][] = []
  for (let index = 0; index + 1 < incoming.rawHeaders.length; index += 2)
    headers.push([incoming.rawHeaders[index] ?? '', incoming.rawHeaders[index + 1] ?? ''])
  if (method === 'GET' || method === 'HEAD') return new Request(address, { method, headers })
  const whole = announcedBytes(incoming) <= AT_ONCE_BYTES ? await readAll(incoming, AT_ONCE_BYTES) : null
  // The two libraries declare the same web stream differently.
  const body = whole ?? (Readable.toWeb(incoming) as ReadableStream<Uint8Array>)
  return new Request(address, { method, headers, body, duplex: 'half' })
}

const announcedBytes = ({ headers }: IncomingMessage): number => Number(headers['content-length'] ?? Infinity)

/** Reads with events, which cost less than the iterator of the stream. Null if there are more bytes than this. */
function readAll(incoming: IncomingMessage, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const announced = incoming.headers['content-length']
  // unread: Node discards the body after the response
  if (announced !== undefined && Number(announced) > maxBytes) return Promise.resolve(null)
  return new Promise((resolve, reject) => {
    let bytes: CollectedBytes | null = new CollectedBytes()
    incoming.on('data', (chunk: Uint8Array) => {
      if (bytes !== null && bytes.length + chunk.byteLength <= maxBytes) bytes.add(chunk)
      else {
        // what follows is discarded, so that the caller can read the response
        bytes = null
        resolve(null)
      }
    })
    incoming.once('end', () => resolve(bytes?.whole() ?? null))
    incoming.once('error', reject)
    incoming.once('close', () => reject(new Error('The request was cut')))
  })
}

/** Sends a complete response without streaming. */
export async function sendResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer())
  if (outgoing.destroyed) return
  outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(body)
}

function send({ status, headers, body }: HttpAnswer, outgoing: ServerResponse): void {
  if (!outgoing.destroyed) outgoing.writeHead(status, headers).end(body)
}

export interface Listening {
  port: number
  /** `http://host:port`, without a trailing slash. */
  url: string
  /** Accepts no new connections, waits at most `graceMs` (10 s) for calls in progress, then aborts the rest. */
  close(options?: { graceMs?: number }): Promise<void>
}

/**
 * Serves a listener; port 0 lets the system choose, and the default host is loopback. Rejects if it cannot listen there,
 * with a message that says what to do if the port is in use.
 */
export async function listen(listener: NodeListener, port = 0, host = '127.0.0.1'): Promise<Listening> {
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 30_000 }, listener)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        cause.code === 'EADDRINUSE'
          ? new Error(
              `Port ${port} of ${host} is in use. Stop the program that uses it, or choose another port.`,
              {
                cause,
              },
            )
          : cause,
      ),
    )
    server.listen(port, host, resolve)
  })
  // A listening server always has such an address.
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
