import { hideProtectedName } from '#contract/protocol/protected-name.ts'

/** What the transport refuses, before or beside any business answer (decisions, section 7). */
export const TRANSPORT_STATUS = {
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

export type TransportCode = keyof typeof TRANSPORT_STATUS

const TITLES: Record<TransportCode, string> = {
  REQUEST_INVALID: 'The request is not valid',
  AUTHENTICATION_REQUIRED: 'Authentication is required',
  PERMISSION_DENIED: 'This is not permitted',
  NOT_FOUND: 'There is nothing here',
  METHOD_NOT_ALLOWED: 'This method is not allowed here',
  PAYLOAD_TOO_LARGE: 'The request body is too large',
  UNSUPPORTED_MEDIA_TYPE: 'The request body has an unsupported type',
  RATE_LIMITED: 'Too many requests',
  INTERNAL_ERROR: 'An internal error occurred',
  SERVICE_UNAVAILABLE: 'The service is not available at the moment',
}

/** A request is refused by the transport; the app's error handler turns it into a problem. The message is safe to show. */
export class TransportError extends Error {
  override name = 'TransportError'
  readonly code: TransportCode
  readonly status: (typeof TRANSPORT_STATUS)[TransportCode]
  /** Further response headers, such as `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>

  constructor(code: TransportCode, message?: string, headers: Record<string, string> = {}) {
    super(message ?? TITLES[code])
    this.code = code
    this.status = TRANSPORT_STATUS[code]
    this.headers = headers
  }
}

export interface Problem {
  status: number
  code: string
  title: string
  requestId: string
  [member: string]: unknown
}

/** An RFC 9457 answer; never cached. */
export function problemResponse(problem: Problem, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify({ type: 'about:blank', ...problem }), {
    status: problem.status,
    headers: { ...headers, 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
  })
}

/** The problem for anything thrown: a TransportError as it is, all else as INTERNAL_ERROR without a word about the cause. */
export function transportProblem(error: unknown, requestId: string): Response {
  const refused = error instanceof TransportError ? error : new TransportError('INTERNAL_ERROR')
  const { status, code, message, headers } = refused
  return problemResponse(
    { title: TITLES[code], status, code, message: hideProtectedName(message), requestId },
    headers,
  )
}
