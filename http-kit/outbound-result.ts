import type { IncomingHttpHeaders } from 'node:http'

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
export type OutboundResult =
  | OutboundResponse
  | {
      kind: 'failed'
      reason: OutboundFailure
      /** The headers of a response that arrived and was not read: a redirect, too large, cut off, or of another encoding. */
      headers?: Readonly<IncomingHttpHeaders>
    }

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

/** Whether a connection could be opened; with https, a secure one. */
export type ProbeResult = { kind: 'reached' } | { kind: 'failed'; reason: OutboundFailure }

export interface Outbound {
  request(request: OutboundRequest): Promise<OutboundResult>
  /** Opens a connection as a call would, by the same rules, and closes it at once: nothing is sent on it. */
  probe(request: Pick<OutboundRequest, 'url' | 'timeoutMs'>): Promise<ProbeResult>
  stream(
    request: OutboundStreamRequest,
  ): Promise<OutboundStream | { kind: 'failed'; reason: OutboundFailure }>
  /** Ends streams, waits for calls in progress, then closes every connection. */
  close(): Promise<void>
}

interface FailureTraits {
  /** Whether a byte of the request may have been sent: the other side may have acted. */
  isSent: boolean
  /** Whether the same request may have another result later. */
  isRepeatUseful: boolean
  /** What is wrong with the other side, for an operator: the end of a line that names it. */
  text: string
}

/** Why there is no response. */
const OUTBOUND_FAILURES = {
  timeout: { isSent: true, isRepeatUseful: true, text: 'it does not respond in time' },
  refused: { isSent: false, isRepeatUseful: true, text: 'nothing listens there' },
  'no-route': { isSent: false, isRepeatUseful: true, text: 'it cannot be routed to' },
  'no-socket': { isSent: false, isRepeatUseful: true, text: 'this host has no free socket or port' },
  reset: { isSent: true, isRepeatUseful: true, text: 'it closes the connection' },
  dns: { isSent: false, isRepeatUseful: true, text: 'its name is unknown' },
  tls: {
    isSent: false,
    isRepeatUseful: true,
    text: 'it offers no TLS, or no version of it that is accepted',
  },
  'tls-untrusted': {
    isSent: false,
    isRepeatUseful: true,
    text: 'its certificate is not signed by a trusted authority; name yours in NODE_EXTRA_CA_CERTS',
  },
  'tls-expired': {
    isSent: false,
    isRepeatUseful: true,
    text: 'its certificate has expired; renew it, or compare the clocks',
  },
  'tls-early': {
    isSent: false,
    isRepeatUseful: true,
    text: 'its certificate is not valid yet; compare the clocks',
  },
  'tls-wrong-name': { isSent: false, isRepeatUseful: true, text: 'its certificate is for another name' },
  'not-http': { isSent: true, isRepeatUseful: true, text: 'it does not send valid HTTP' },
  cut: { isSent: true, isRepeatUseful: true, text: 'its response was cut off' },
  continue: { isSent: true, isRepeatUseful: true, text: 'its response cannot be read' },
  upgrade: { isSent: true, isRepeatUseful: true, text: 'its response cannot be read' },
  encoding: { isSent: true, isRepeatUseful: true, text: 'its response cannot be read' },
  'too-large': { isSent: true, isRepeatUseful: false, text: 'its response is too large' },
  'egress-denied': { isSent: false, isRepeatUseful: false, text: 'its address is not allowed' },
  redirect: { isSent: true, isRepeatUseful: false, text: 'it redirects to another address' },
  aborted: { isSent: true, isRepeatUseful: true, text: 'the request was stopped' },
} as const satisfies Readonly<Record<string, FailureTraits>>

export type OutboundFailure = keyof typeof OUTBOUND_FAILURES

// the keys of the table, which nothing adds to
export const FAILURE_REASONS = Object.keys(OUTBOUND_FAILURES) as readonly OutboundFailure[]

export const failureTraits = (reason: OutboundFailure): FailureTraits => OUTBOUND_FAILURES[reason]

/** An error that already carries its reason. */
export class OutboundError extends Error {
  override name = 'OutboundError'
  readonly reason: OutboundFailure
  constructor(reason: OutboundFailure, cause?: unknown) {
    super(reason, { cause })
    this.reason = reason
  }
}

const mapOf = <Value>(entries: Record<string, Value>): ReadonlyMap<string, Value> =>
  new Map(Object.entries(entries))

const BY_CODE = mapOf<OutboundFailure>({
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'no-route',
  ENETUNREACH: 'no-route',
  EHOSTDOWN: 'no-route',
  ENETDOWN: 'no-route',
  EAFNOSUPPORT: 'no-route',
  // a firewall of this host
  EACCES: 'no-route',
  EPERM: 'no-route',
  EMFILE: 'no-socket',
  ENFILE: 'no-socket',
  ENOBUFS: 'no-socket',
  // no local port is left for the address
  EADDRNOTAVAIL: 'no-socket',
  // undici refuses to send invalid HTTP
  UND_ERR_INVALID_ARG: 'refused',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'too-large',
  UND_ERR_ABORTED: 'aborted',
})

/** What is wrong with the certificate, by the codes of OpenSSL and Node. */
const BY_TLS_CODE = mapOf<OutboundFailure>({
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls-untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls-untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'tls-untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls-untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls-untrusted',
  CERT_HAS_EXPIRED: 'tls-expired',
  CERT_NOT_YET_VALID: 'tls-early',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls-wrong-name',
})

/** The reason for an error while a secure connection was being established. */
export function tlsReasonOf(error: Error): OutboundFailure {
  const { code } = error as { code?: unknown }
  return BY_TLS_CODE.get(String(code)) ?? 'tls'
}

/** undici gives these interim responses no code; it refuses them, although HTTP allows the first. */
const BY_SOCKET_MESSAGE = mapOf<OutboundFailure>({
  'bad response': 'continue',
  'bad upgrade': 'upgrade',
})

/** How far a request had come. */
export type RequestProgress = 'connecting' | 'sent' | 'responding'

/** The reason for an error of the client. Once a request is sent, none of them means that nothing was sent. */
export function reasonOf(error: unknown, progress: RequestProgress): OutboundFailure {
  if (error instanceof OutboundError) return error.reason
  const { code, errors, message } = error as { code?: unknown; errors?: unknown[]; message?: unknown }
  if (Array.isArray(errors) && errors.length > 0) return mostTelling(errors, progress)
  const known =
    BY_CODE.get(String(code)) ??
    (code === 'UND_ERR_SOCKET' ? BY_SOCKET_MESSAGE.get(String(message)) : undefined)
  const isPossible = known !== undefined && (progress === 'connecting' || failureTraits(known).isSent)
  if (isPossible) return known
  if (error instanceof Error && error.name === 'HTTPParserError')
    return progress === 'responding' || code === 'HPE_INVALID_EOF_STATE' ? 'cut' : 'not-http'
  return progress === 'responding' ? 'cut' : 'reset'
}

/** Of the errors of several addresses: a host that refuses was reached; a lost connection and a timeout say the least. */
function mostTelling(errors: readonly unknown[], progress: RequestProgress): OutboundFailure {
  const reasons = errors.map((error) => reasonOf(error, progress))
  return (
    reasons.find((reason) => reason === 'refused') ??
    reasons.find((reason) => reason !== 'reset' && reason !== 'timeout') ??
    reasons.find((reason) => reason === 'reset') ??
    'timeout'
  )
}

const HANDSHAKE_CODE = /^(?:ERR_SSL_|ERR_TLS_|EPROTO$)/
/** What OpenSSL says about a certificate. */
const CERTIFICATE_CODE = /^(?:CERT_|CRL_|UNABLE_TO_|ERROR_IN_C|INVALID_(?:CA|PURPOSE)$|PATH_LENGTH_EXCEEDED$)/
const CLOSED = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])
/** Of the system, undici and the parser of HTTP; not of a library that reads the response. */
const NETWORK_CODE = /^(?:E[A-Z0-9]+$|UND_ERR_|HPE_)/

const FAILS = 'the connection to it fails'
/** Where an operator needs to know more than a program does. */
const TEXT_BY_CODE = mapOf({
  UND_ERR_INVALID_ARG: 'the request to it is not valid',
})

/**
 * Why a request of `fetch`, or a socket, got no response, as a text for an operator with the code of the error; null if the error
 * is about something else.
 */
export function whyNoResponse(error: unknown): string | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'TimeoutError') return OUTBOUND_FAILURES.timeout.text
    const { code } = cause as { code?: unknown }
    const text = typeof code === 'string' ? textOf(code) : null
    if (text !== null) return `${text} (${String(code)})`
  }
  return null
}

function textOf(code: string): string | null {
  const exact = TEXT_BY_CODE.get(code)
  if (exact !== undefined) return exact
  const closed = CLOSED.has(code) ? 'reset' : undefined
  const handshake = HANDSHAKE_CODE.test(code) ? 'tls' : undefined
  const reason = BY_CODE.get(code) ?? BY_TLS_CODE.get(code) ?? closed ?? handshake
  if (reason !== undefined) return OUTBOUND_FAILURES[reason].text
  if (CERTIFICATE_CODE.test(code)) return 'its certificate is not accepted'
  return NETWORK_CODE.test(code) ? FAILS : null
}
