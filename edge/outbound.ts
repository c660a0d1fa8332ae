import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { Pool } from 'undici'
import type { Dispatcher } from 'undici'
import { allowsDestination } from './egress.ts'
import type { Destination, EgressRule } from './egress.ts'
import { egressConnector } from './outbound-connector.ts'
import { reasonOf } from './outbound-reason.ts'
import type { OutboundFailure } from './outbound-reason.ts'

export interface OutboundRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  /** Sent as they are, and no others but `host`, `connection` and `content-length`. */
  headers: Record<string, string>
  body: Uint8Array | null
  /** For everything together: queue, connection, request, whole answer. */
  timeoutMs: number
  /** After decompression; 1 MiB where absent. */
  maxResponseBytes?: number
  /** Ends the call with the reason `aborted`. */
  signal?: AbortSignal
}

export interface OutboundResponse {
  kind: 'response'
  status: number
  contentType: string | null
  headers: Readonly<IncomingHttpHeaders>
  body: Uint8Array
}

/** What came of a call: a value, never a throw. What it means is for the caller to judge. */
export type OutboundResult = OutboundResponse | { kind: 'failed'; reason: OutboundFailure }

export interface Outbound {
  request(request: OutboundRequest): Promise<OutboundResult>
  /** Waits for calls under way, then closes every connection. */
  close(): Promise<void>
}

export interface OutboundOptions {
  egressAllow: readonly EgressRule[]
  connectTimeoutMs?: number
  /** So that one slow origin cannot take all sockets. */
  connectionsPerOrigin?: number
}

const MAX_RESPONSE_BYTES = 1024 * 1024
const MAX_ORIGINS = 512
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** The one HTTP client for calls to other services: no redirects, no cookies, egress rules below URL parsing. */
export function createOutbound({
  egressAllow,
  connectTimeoutMs = 5000,
  connectionsPerOrigin = 64,
}: OutboundOptions): Outbound {
  const pools = new Map<string, Pool>()

  const poolFor = (origin: string, destination: Destination): Pool => {
    const existing = pools.get(origin)
    if (existing !== undefined) return existing
    const oldest = pools.size >= MAX_ORIGINS ? pools.entries().next().value : undefined
    if (oldest !== undefined) {
      pools.delete(oldest[0])
      void oldest[1].close()
    }
    const pool = new Pool(origin, {
      connect: egressConnector(egressAllow, destination, connectTimeoutMs),
      connections: connectionsPerOrigin,
      allowH2: false,
      maxHeaderSize: 16 * 1024,
      // one deadline for the whole call is kept by `send`
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    pools.set(origin, pool)
    return pool
  }

  return {
    async request(request) {
      const url = parseUrl(request.url)
      if (url === null) return { kind: 'failed', reason: 'egress-denied' }
      const destination = destinationOf(url)
      if (!allowsDestination(egressAllow, destination)) return { kind: 'failed', reason: 'egress-denied' }
      const result = await send(poolFor(url.origin, destination), url, request)
      return result.kind === 'response' ? await judge(result, request) : result
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.close()))
      pools.clear()
    },
  }
}

/** A user or fragment in an address is a trick or a mistake; neither is sent anywhere. */
function parseUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) return null
  return url.username + url.password === '' && !text.includes('#') ? url : null
}

function destinationOf(url: URL): Destination {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  return { protocol: url.protocol, host: url.hostname.replace(/^\[|\]$/g, ''), port }
}

function send(pool: Pool, url: URL, request: OutboundRequest): Promise<OutboundResult> {
  const { method, headers, body, timeoutMs, signal, maxResponseBytes = MAX_RESPONSE_BYTES } = request
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    let answer: { status: number; headers: IncomingHttpHeaders } | null = null
    let controller: Dispatcher.DispatchController | null = null
    let isDone = false

    const settle = (result: OutboundResult): void => {
      if (isDone) return
      isDone = true
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      resolve(result)
    }
    const stop = (reason: OutboundFailure): void => {
      settle({ kind: 'failed', reason })
      controller?.abort(new Error(reason))
    }
    const abort = (): void => stop('aborted')
    const timer = setTimeout(() => stop('timeout'), timeoutMs)
    if (signal?.aborted) return abort()
    signal?.addEventListener('abort', abort, { once: true })

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started
        // the deadline passed in the queue: not one byte is sent
        if (isDone) started.abort(new Error('settled'))
      },
      onResponseStart(_, status, responseHeaders) {
        if (status < 200) return
        answer = { status, headers: responseHeaders }
        if (REDIRECTS.has(status)) stop('redirect')
        else if (Number(responseHeaders['content-length']) > maxResponseBytes) stop('too-large')
      },
      onResponseData(_, chunk) {
        size += chunk.length
        if (size > maxResponseBytes) stop('too-large')
        else chunks.push(chunk)
      },
      onResponseEnd() {
        if (answer === null) return settle({ kind: 'failed', reason: 'cut' })
        const type = answer.headers['content-type']
        settle({ kind: 'response', ...answer, contentType: type ?? null, body: Buffer.concat(chunks, size) })
      },
      onResponseError(_, error) {
        settle({ kind: 'failed', reason: reasonOf(error, answer !== null) })
      },
    }
    try {
      const identity = { 'accept-encoding': 'identity', ...headers }
      pool.dispatch({ path: url.pathname + url.search, method, headers: identity, body }, handler)
    } catch (error) {
      settle({ kind: 'failed', reason: reasonOf(error, false) })
    }
  })
}

const DECODERS = { gzip: promisify(gunzip), deflate: promisify(inflate), br: promisify(brotliDecompress) }

/** Unpacks an answer that is compressed although identity was asked for, within the same size limit. */
async function judge(response: OutboundResponse, request: OutboundRequest): Promise<OutboundResult> {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding === 'identity' || encoding === '') return response
  if (!(encoding === 'gzip' || encoding === 'deflate' || encoding === 'br'))
    return { kind: 'failed', reason: 'cut' }
  try {
    const maxOutputLength = request.maxResponseBytes ?? MAX_RESPONSE_BYTES
    return { ...response, body: await DECODERS[encoding](response.body, { maxOutputLength }) }
  } catch (error) {
    const isTooLarge = (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE'
    return { kind: 'failed', reason: isTooLarge ? 'too-large' : 'cut' }
  }
}
