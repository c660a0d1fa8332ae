import { randomBytes } from 'node:crypto'
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

/** What went over the wire in one attempt. */
export interface Exchange {
  request: { method: string; url: string; headers: Record<string, string>; body: Buffer }
  /** Null if no complete response arrived; `problem` then says why. */
  response: { status: number; headers: Record<string, string>; body: Buffer } | null
  problem: string | null
  /** Whether there was a connection: without one, the plugin has received nothing. */
  isConnected: boolean
  /** No response arrived in the time that the checker waited. */
  isTimedOut: boolean
  ms: number
}

/** How the network treats the request and the response. */
export interface Delivery {
  method?: string
  /** Added to the usual headers or replacing them; an empty string removes one. */
  headers?: Record<string, string>
  /** Closes the connection after this many bytes of the body. */
  cutRequestAt?: number
  /** Closes the connection as soon as the request is sent. */
  loseResponse?: boolean
  /** Sends the body in this many parts with a pause between them. */
  parts?: number
  /** Instead: in two parts, of which the first has so many bytes. */
  splitAt?: number
  pauseMs?: number
  /** Sends the body with `transfer-encoding: chunked`. */
  isChunked?: boolean
  /** Reads the response only after this pause. */
  readAfterMs?: number
  /** A new connection instead of one that is kept alive. */
  isNewConnection?: boolean
}

/** A response larger than this is cut off. The runtime accepts 1 MiB; more is read so that a case can judge the size. */
const RESPONSE_MAX = 4 * 1024 * 1024
/** What a plugin offers for tests may be larger. */
const TEST_RESPONSE_MAX = 64 * 1024 * 1024
const TEST_MS = 10_000
/** Between the end of a request and the end of its connection, if the response is to be lost. */
const LOST_MS = 10
const DECODERS: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
}
/** After so many calls in a row without a response in time, a plugin that hangs is not waited for as long. */
const TIMED_OUT_MAX = 3
const HANGING_MS = 2_000

export interface Sender {
  send(body: Buffer, authorization: string | null, delivery?: Delivery): Promise<Exchange>
  close(): void
}

/** Sends calls to one address. Redirects are not followed. Never throws, whatever the other side does. */
export function createSender(url: string, timeoutMs: number): Sender {
  const isHttps = new URL(url).protocol === 'https:'
  const agent = isHttps ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
  let timedOut = 0
  return {
    async send(body, authorization, delivery = {}) {
      const waitMs = timedOut < TIMED_OUT_MAX ? timeoutMs : Math.min(timeoutMs, HANGING_MS)
      const sent = await exchange({ url, body, authorization, delivery, timeoutMs: waitMs, agent, isHttps })
      timedOut = sent.isTimedOut ? timedOut + 1 : sent.response === null ? timedOut : 0
      return sent
    },
    close: () => agent.destroy(),
  }
}

/**
 * Fetches what a plugin offers for tests, at an http or https address. Never throws, whereas `fetch` ends the whole process
 * if the other side closes the connection of a body that nobody has read yet.
 */
export function fetchFromPlugin(url: string, method: 'GET' | 'POST'): Promise<Exchange> {
  const isHttps = new URL(url).protocol === 'https:'
  return exchange({
    url,
    body: Buffer.alloc(0),
    authorization: null,
    delivery: { method, headers: { 'content-type': '', traceparent: '' } },
    timeoutMs: TEST_MS,
    maxBytes: TEST_RESPONSE_MAX,
    // a test endpoint may serve one connection at a time
    agent: false,
    isHttps,
  })
}

interface Attempt {
  url: string
  body: Buffer
  authorization: string | null
  delivery: Delivery
  timeoutMs: number
  maxBytes?: number
  agent: HttpAgent | HttpsAgent | false
  isHttps: boolean
}

async function exchange(attempt: Attempt): Promise<Exchange> {
  const { url, body, delivery, timeoutMs, maxBytes = RESPONSE_MAX, agent, isHttps } = attempt
  const { method = 'POST' } = delivery
  const headers = headersOf(attempt)
  const started = performance.now()
  const request = { method, url, headers, body }
  let isConnected = false
  let isTimedOut = false
  const ended = (response: Exchange['response'], problem: string | null): Exchange => ({
    request,
    response,
    problem,
    isConnected,
    isTimedOut,
    ms: performance.now() - started,
  })
  return new Promise((resolve) => {
    const send = isHttps ? httpsRequest : httpRequest
    const outgoing = send(url, {
      method,
      headers,
      agent: delivery.isNewConnection === true ? false : agent,
      timeout: timeoutMs,
    })
    const limit = setTimeout(() => {
      isTimedOut = true
      resolve(ended(null, `no response within ${timeoutMs / 1000} s`))
      outgoing.destroy()
    }, timeoutMs)
    const end = (result: Exchange): void => {
      clearTimeout(limit)
      resolve(result)
    }
    outgoing.on('socket', (socket) => {
      if (outgoing.reusedSocket) isConnected = true
      else
        socket.once(isHttps ? 'secureConnect' : 'connect', () => {
          isConnected = true
        })
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) => end(ended(null, describeError(error))))
    // without this, the connection is closed and nothing says so
    outgoing.on('upgrade', (_, socket) => {
      socket.destroy()
      end(ended(null, 'the response has status 101 and changes the protocol'))
    })
    outgoing.on('response', (incoming) => {
      void readResponse(incoming, delivery.readAfterMs ?? 0, maxBytes).then(
        (response) => end(ended(response, null)),
        (error: NodeJS.ErrnoException) => end(ended(null, describeError(error))),
      )
    })
    void writeBody(outgoing, body, delivery)
  })
}

function headersOf({ body, authorization, delivery }: Attempt): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json',
    // as from the runtime, another one in each attempt
    traceparent: `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`,
    ...(delivery.isChunked === true
      ? { 'transfer-encoding': 'chunked' }
      : { 'content-length': String(body.byteLength) }),
    ...(authorization !== null && { authorization }),
    ...delivery.headers,
  }
  for (const [name, value] of Object.entries(headers)) if (value === '') delete headers[name]
  return headers
}

async function writeBody(
  outgoing: ReturnType<typeof httpRequest>,
  body: Buffer,
  { cutRequestAt, loseResponse, splitAt, parts = 1, pauseMs = 0 }: Delivery,
): Promise<void> {
  if (cutRequestAt !== undefined) {
    // a busy machine may take longer to connect, and then the plugin would get nothing
    await new Promise<void>((resolve) => {
      outgoing.once('close', resolve)
      outgoing.write(body.subarray(0, cutRequestAt), () => resolve())
    })
    await wait(20)
    outgoing.destroy(new Error('cut by plugin-check'))
    return
  }
  const even = Math.max(1, Math.ceil(body.byteLength / parts))
  for (let at = 0, size = splitAt ?? even; at < body.byteLength; at += size, size = even) {
    if (at > 0 && pauseMs > 0) await wait(pauseMs)
    if (outgoing.destroyed) return
    outgoing.write(body.subarray(at, at + size))
  }
  outgoing.end(() => {
    // The request has left this process; on a busy machine it takes a moment until the plugin has read it.
    if (loseResponse === true) setTimeout(() => outgoing.destroy(new Error('lost by plugin-check')), LOST_MS)
  })
}

async function readResponse(
  incoming: IncomingMessage,
  pauseMs: number,
  maxBytes: number,
): Promise<Exchange['response']> {
  if (pauseMs > 0) await wait(pauseMs)
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.byteLength
    if (length > maxBytes) throw new Error(`the response is larger than ${maxBytes / 2 ** 20} MiB`)
    chunks.push(chunk)
  }
  if (!incoming.complete) throw new Error('the response was cut off')
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])
  return {
    status: incoming.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    body: decoded(Buffer.concat(chunks), incoming.headers['content-encoding'], maxBytes),
  }
}

/** As the runtime reads it: one of three encodings, and nothing larger than is read without one. */
function decoded(body: Buffer, encoding = 'identity', maxOutputLength: number): Buffer {
  if (encoding === 'identity') return body
  const decode = DECODERS[encoding.toLowerCase()]
  if (decode === undefined) throw new Error(`the runtime does not read the content-encoding ${encoding}`)
  try {
    return decode(body, { maxOutputLength })
  } catch {
    throw new Error(`the response is not valid ${encoding}, or larger than ${maxOutputLength / 2 ** 20} MiB`)
  }
}

function describeError({ code, message }: NodeJS.ErrnoException): string {
  // the message is that of OpenSSL, over several lines
  if (code === 'EPROTO' || code?.startsWith('ERR_SSL_') === true)
    return 'no secure connection could be established; the port may not use TLS'
  switch (code) {
    case 'ECONNREFUSED':
      return 'the connection was refused'
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the host was not found'
    case 'ECONNRESET':
    case 'EPIPE':
      return 'the connection was lost'
    default:
      return message === '' ? (code ?? 'the connection failed') : message
  }
}
