import type { MessageParameters } from '#contract/protocol/envelope.ts'
import { mapMessage } from '#contract/protocol/messages.ts'
import type { PlatformMessage } from '#contract/protocol/platform-messages.ts'
import { hideProtectedName } from '#contract/protocol/protected-property.ts'

/**
 * Codes of requests that are rejected by the transport, before or independent of any business response
 * (docs/protocol.md, "The envelope").
 */
const TRANSPORT_STATUS = {
  REQUEST_INVALID: 400,
  AUTHENTICATION_REQUIRED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const

type TransportCode = keyof typeof TRANSPORT_STATUS
// the keys of the table, which nothing adds to
export const TRANSPORT_CODES = Object.keys(TRANSPORT_STATUS) as readonly TransportCode[]

const TITLES: Record<TransportCode, string> = {
  REQUEST_INVALID: 'The request is not valid',
  AUTHENTICATION_REQUIRED: 'Authentication is required',
  PERMISSION_DENIED: 'Permission denied',
  NOT_FOUND: 'Not found',
  METHOD_NOT_ALLOWED: 'The method is not allowed',
  PAYLOAD_TOO_LARGE: 'The request body is too large',
  UNSUPPORTED_MEDIA_TYPE: 'The request body has an unsupported type',
  RATE_LIMITED: 'Too many requests',
  INTERNAL_ERROR: 'An internal error occurred',
  SERVICE_UNAVAILABLE: 'The service is temporarily unavailable',
}

/** A request that the transport rejects; the app's error handler turns it into a problem. The message is safe to show. */
export class TransportError extends Error {
  override name = 'TransportError'
  readonly code: TransportCode
  /** Why the platform wrote the message, so that a client can show it in another language; absent for most. */
  readonly parameters: MessageParameters | undefined
  /** Whether the message is that of the code. */
  readonly isGeneral: boolean
  readonly status: (typeof TRANSPORT_STATUS)[TransportCode]
  /** Additional response headers, such as `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>

  constructor(code: TransportCode, message?: string | PlatformMessage, headers: Record<string, string> = {}) {
    const { message: text, parameters } = typeof message === 'object' ? message : { message }
    super(text ?? TITLES[code])
    this.isGeneral = text === undefined
    this.parameters = parameters
    this.code = code
    this.status = TRANSPORT_STATUS[code]
    this.headers = headers
  }
}

interface Problem {
  status: number
  code: string
  title: string
  requestId: string
  [member: string]: unknown
}

/** An RFC 9457 response; never cached. */
export function problemResponse(problem: Problem, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify({ type: 'about:blank', ...problem }), {
    status: problem.status,
    headers: { ...headers, 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
  })
}

/**
 * The problem for anything thrown: a TransportError keeps its code, everything else becomes INTERNAL_ERROR without any
 * hint of the cause.
 */
export function transportProblem(error: unknown, requestId: string): Response {
  const rejection = error instanceof TransportError ? error : new TransportError('INTERNAL_ERROR')
  const { status, code, message, headers, isGeneral } = rejection
  // the reason of a general message is its code
  const parameters = isGeneral ? { reason: code } : rejection.parameters
  const shown = mapMessage({ message, ...(parameters !== undefined && { parameters }) }, hideProtectedName)
  return problemResponse({ title: TITLES[code], status, code, ...shown, requestId }, headers)
}
