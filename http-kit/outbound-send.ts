import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import type { Dispatcher, Pool } from 'undici'
import { CollectedBytes } from '#contract/protocol/collected-bytes.ts'
import { reasonOf } from './outbound-result.ts'
import type {
  OutboundFailure,
  OutboundRequest,
  OutboundResult,
  OutboundStream,
  OutboundStreamRequest,
  OutboundResponse,
} from './outbound-result.ts'

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** One call with a single deadline; the response is buffered as received. */
export function send(
  pool: Pool,
  url: URL,
  request: OutboundRequest & { maxResponseBytes: number },
): Promise<OutboundResult> {
  const { method, headers, body, timeoutMs, signal, maxResponseBytes, onProgress } = request
  return new Promise((resolve) => {
    const bytes = new CollectedBytes()
    let head: { status: number; headers: IncomingHttpHeaders } | null = null
    let controller: Dispatcher.DispatchController | null = null
    let isDone = false

    const settle = (result: OutboundResult): void => {
      if (isDone) return
      isDone = true
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      resolve(result)
    }
    const fail = (reason: OutboundFailure): void =>
      settle({ kind: 'failed', reason, ...(head !== null && { headers: head.headers }) })
    const stop = (reason: OutboundFailure): void => {
      fail(reason)
      controller?.abort(new Error(reason))
    }
    const abort = (): void => stop('aborted')
    const timer = setTimeout(() => stop('timeout'), timeoutMs)
    if (signal?.aborted) return abort()
    signal?.addEventListener('abort', abort, { once: true })

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started
        // the deadline passed while queued: nothing is sent
        if (isDone) started.abort(new Error('settled'))
        else onProgress?.('connected')
      },
      onResponseStart(_, status, responseHeaders) {
        if (status < 200 || isDone) return
        onProgress?.('answered')
        head = { status, headers: responseHeaders }
        if (REDIRECTS.has(status)) stop('redirect')
        else if (Number(responseHeaders['content-length']) > maxResponseBytes) stop('too-large')
      },
      onResponseData(_, chunk) {
        if (bytes.length + chunk.length > maxResponseBytes) stop('too-large')
        else bytes.add(chunk)
      },
      onResponseEnd() {
        if (head === null) return fail('cut')
        const type = head.headers['content-type']
        settle({ kind: 'response', ...head, contentType: type ?? null, body: bytes.whole() })
      },
      onResponseError(_, error) {
        fail(reasonOf(error, head !== null ? 'responding' : controller === null ? 'connecting' : 'sent'))
      },
    }
    try {
      const identity = { 'accept-encoding': 'identity', ...headers }
      pool.dispatch({ path: url.pathname + url.search, method, headers: identity, body }, handler)
    } catch (error) {
      fail(reasonOf(error, 'connecting'))
    }
  })
}

/** Waits only for the head of a response. */
export async function openStream(
  pool: Pool,
  url: URL,
  { headers, timeoutMs, idleMs, signal }: OutboundStreamRequest,
): Promise<OutboundStream | { kind: 'failed'; reason: OutboundFailure }> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), timeoutMs)
  try {
    const response = await pool.request({
      path: url.pathname + url.search,
      method: 'GET',
      headers: { 'accept-encoding': 'identity', ...headers },
      bodyTimeout: idleMs,
      signal: AbortSignal.any([signal, late.signal]),
    })
    const type = response.headers['content-type']
    return {
      kind: 'stream',
      status: response.statusCode,
      contentType: typeof type === 'string' ? type : null,
      body: response.body,
      // destroying the body also emits an error, which can be ignored
      discard: () => void response.body.on('error', () => undefined).destroy(),
    }
  } catch (error) {
    if (late.signal.aborted) return { kind: 'failed', reason: 'timeout' }
    return { kind: 'failed', reason: signal.aborted ? 'aborted' : reasonOf(error, 'connecting') }
  } finally {
    clearTimeout(timer)
  }
}

const DECODERS = { gzip: promisify(gunzip), deflate: promisify(inflate), br: promisify(brotliDecompress) }

/** Any other error means that the body is not in the encoding that its header names. */
const BY_CODE = new Map<unknown, OutboundFailure>([
  ['ERR_BUFFER_TOO_LARGE', 'too-large'],
  ['Z_BUF_ERROR', 'cut'],
])

/** Decompresses a response that is compressed although identity was requested, within the same size limit. */
export async function unpack(response: OutboundResponse, maxOutputLength: number): Promise<OutboundResult> {
  // a header that is sent twice is a list, whatever its type says
  const header: string | readonly string[] = response.headers['content-encoding'] ?? 'identity'
  const encoding = [header].flat().join(', ').trim().toLowerCase()
  if (encoding === 'identity' || encoding === '') return response
  if (!(encoding === 'gzip' || encoding === 'deflate' || encoding === 'br'))
    return { kind: 'failed', reason: 'encoding', headers: response.headers }
  try {
    return { ...response, body: await DECODERS[encoding](response.body, { maxOutputLength }) }
  } catch (error) {
    const reason = BY_CODE.get((error as { code?: unknown }).code) ?? 'encoding'
    return { kind: 'failed', reason, headers: response.headers }
  }
}
