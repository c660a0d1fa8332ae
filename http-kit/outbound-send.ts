import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher, Pool } from 'undici'
import { reasonOf } from './outbound-reason.ts'
import type { OutboundFailure } from './outbound-reason.ts'
import type {
  OutboundRequest,
  OutboundResult,
  OutboundStream,
  OutboundStreamRequest,
} from './outbound-types.ts'

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** One call with a single deadline; the response is buffered as received. */
export function send(
  pool: Pool,
  url: URL,
  request: OutboundRequest & { maxResponseBytes: number },
): Promise<OutboundResult> {
  const { method, headers, body, timeoutMs, signal, maxResponseBytes, onProgress } = request
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
        // the deadline passed while queued: nothing is sent
        if (isDone) started.abort(new Error('settled'))
        else onProgress?.('connected')
      },
      onResponseStart(_, status, responseHeaders) {
        if (status < 200 || isDone) return
        onProgress?.('answered')
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

/** Waits only for the head of a response. */
export async function openStream(
  pool: Pool,
  url: URL,
  { headers, timeoutMs, idleMs, signal }: OutboundStreamRequest,
): Promise<OutboundStream | { kind: 'failed'; reason: OutboundFailure }> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), timeoutMs)
  try {
    const answer = await pool.request({
      path: url.pathname + url.search,
      method: 'GET',
      headers: { 'accept-encoding': 'identity', ...headers },
      bodyTimeout: idleMs,
      signal: AbortSignal.any([signal, late.signal]),
    })
    const type = answer.headers['content-type']
    return {
      kind: 'stream',
      status: answer.statusCode,
      contentType: typeof type === 'string' ? type : null,
      body: answer.body,
      // destroying the body also emits an error, which can be ignored
      discard: () => void answer.body.on('error', () => undefined).destroy(),
    }
  } catch (error) {
    if (late.signal.aborted) return { kind: 'failed', reason: 'timeout' }
    return { kind: 'failed', reason: signal.aborted ? 'aborted' : reasonOf(error, false) }
  } finally {
    clearTimeout(timer)
  }
}
