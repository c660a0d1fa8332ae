import type { IncomingHttpHeaders } from 'node:http'
import type { OutboundFailure } from './outbound-reason.ts'

export interface OutboundRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  /** Sent unchanged; besides these only `host`, `connection` and `content-length` are sent. */
  headers: Record<string, string>
  body: Uint8Array | null
  /** For everything together: queue, connection, request, whole response. */
  timeoutMs: number
  /** After decompression; default 1 MiB. */
  maxResponseBytes?: number
  /** Ends the call with the reason `aborted`. */
  signal?: AbortSignal
  /**
   * Called at most once each: `connected` when the request is written to a connection, after the queue, DNS, TCP and TLS;
   * `answered` when the head of the response has arrived.
   */
  onProgress?: (reached: 'connected' | 'answered') => void
}

export interface OutboundResponse {
  kind: 'response'
  status: number
  contentType: string | null
  headers: Readonly<IncomingHttpHeaders>
  body: Uint8Array
}

/** The result of a call: a value, never an exception. The caller decides what it means. */
export type OutboundResult = OutboundResponse | { kind: 'failed'; reason: OutboundFailure }

/** A continuing response, such as server-sent events; leaving the loop over `body` closes the connection. */
export interface OutboundStream {
  kind: 'stream'
  status: number
  contentType: string | null
  /** Throws if the connection is lost or silent for too long, or if the signal is aborted. */
  body: AsyncIterable<Uint8Array>
  /** For a body that nobody reads. */
  discard(): void
}

/** `timeoutMs` applies to the head of the response; `idleMs` to the time between two chunks of its body. */
export type OutboundStreamRequest = Pick<OutboundRequest, 'url' | 'headers' | 'timeoutMs'> & {
  idleMs: number
  signal: AbortSignal
}

export interface Outbound {
  request(request: OutboundRequest): Promise<OutboundResult>
  stream(
    request: OutboundStreamRequest,
  ): Promise<OutboundStream | { kind: 'failed'; reason: OutboundFailure }>
  /** Ends streams, waits for calls in progress, then closes every connection. */
  close(): Promise<void>
}
