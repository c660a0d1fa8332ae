/**
 * Why there is no answer. Before any byte was sent: `refused`, `dns`, `tls`, `egress-denied`. All others leave open
 * whether the other side has acted.
 */
export type OutboundFailure =
  | 'timeout'
  | 'refused'
  | 'reset'
  | 'dns'
  | 'tls'
  | 'cut'
  | 'too-large'
  | 'egress-denied'
  | 'redirect'
  | 'aborted'

/** An error that already knows its reason. */
export class OutboundError extends Error {
  override name = 'OutboundError'
  readonly reason: OutboundFailure
  constructor(reason: OutboundFailure, cause?: unknown) {
    super(reason, { cause })
    this.reason = reason
  }
}

const BY_CODE: Record<string, OutboundFailure> = {
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'refused',
  ENETUNREACH: 'refused',
  EHOSTDOWN: 'refused',
  EADDRNOTAVAIL: 'refused',
  // undici refuses to send what is no valid HTTP
  UND_ERR_INVALID_ARG: 'refused',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'too-large',
  UND_ERR_ABORTED: 'aborted',
}

/** The reason for an error of the client; once an answer has begun, a lost connection means that it was cut. */
export function reasonOf(error: unknown, hasAnswerBegun: boolean): OutboundFailure {
  if (error instanceof OutboundError) return error.reason
  const { code, errors } = error as { code?: unknown; errors?: unknown[] }
  if (typeof code === 'string' && BY_CODE[code] !== undefined) return BY_CODE[code]
  // several addresses were tried; the first tells enough
  if (Array.isArray(errors) && errors.length > 0) return reasonOf(errors[0], hasAnswerBegun)
  if (error instanceof Error && error.name === 'HTTPParserError') return 'cut'
  return hasAnswerBegun ? 'cut' : 'reset'
}
