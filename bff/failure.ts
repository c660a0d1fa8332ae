import { whyUnavailable } from '#database/unreachable.ts'
import type { Detail, MessageParameters } from '#contract/protocol/envelope.ts'
import { describeCode, statusOf } from '#contract/console-api/catalogue.ts'
import type { Problem } from '#contract/console-api/console-problem.ts'
import { DETAILS_MAX } from '#contract/protocol/limits.ts'
import { mapMessage } from '#contract/protocol/messages.ts'
import { hideInDetail, hideProtectedName } from '#contract/protocol/protected-property.ts'
import { TransportError } from '#http-kit/problem-response.ts'

/** A failure to send to the browser. Absent parts come from the catalogue of codes. */
export class ConsoleFailure extends Error {
  readonly code: string
  readonly retryable: boolean
  readonly errorPath: string[]
  readonly details: Detail[] | undefined
  readonly parameters: MessageParameters | undefined
  readonly ownMessage: string | undefined
  readonly ownRemedy: string | undefined
  readonly retryAfter: string | undefined

  constructor(
    code: string,
    options: {
      message?: string | undefined
      retryable?: boolean
      errorPath?: string[] | undefined
      details?: Detail[] | undefined
      parameters?: MessageParameters | undefined
      /** If that of the code would mislead. */
      remedy?: string | undefined
      /** In seconds, where it is known when a repetition is useful. */
      retryAfter?: string | undefined
    } = {},
  ) {
    super(options.message ?? code)
    this.name = 'ConsoleFailure'
    this.code = code
    this.retryable = options.retryable ?? false
    this.errorPath = options.errorPath ?? []
    this.details = options.details
    this.parameters = options.parameters
    this.ownMessage = options.message
    this.ownRemedy = options.remedy
    this.retryAfter = options.retryAfter
  }
}

/**
 * The failure and headers that the browser receives for an error. If the console's database is unavailable,
 * nothing was done and nobody is signed out, so the request may be retried. Unexpected errors reveal nothing.
 */
export function failureOf(error: unknown): {
  failure: ConsoleFailure
  headers: Readonly<Record<string, string>>
} {
  if (error instanceof ConsoleFailure) {
    const { retryAfter } = error
    return { failure: error, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } }
  }
  if (error instanceof TransportError) {
    const { code, isGeneral, message, parameters, headers } = error
    // nothing was done, and the remedy says to try again
    const retryable = code === 'SERVICE_UNAVAILABLE'
    return {
      failure: new ConsoleFailure(code, { ...(!isGeneral && { message, parameters }), retryable }),
      headers,
    }
  }
  const unavailable = whyUnavailable(error)
  if (unavailable !== null) {
    return {
      failure: new ConsoleFailure('SERVICE_UNAVAILABLE', { ...unavailable.shown, retryable: true }),
      headers: {},
    }
  }
  return { failure: new ConsoleFailure('INTERNAL_ERROR'), headers: {} }
}

/**
 * The failure as an RFC 9457 problem: title by code, as are message and remedy unless the failure has its own. The reason of
 * a message that comes from the code is the code, so that another language shows it too.
 */
export function problemOf(failure: ConsoleFailure, requestId: string): Problem {
  const entry = describeCode(failure.code)
  const { ownMessage, parameters } = failure
  const shown =
    ownMessage === undefined
      ? { message: entry.message, parameters: { reason: failure.code } }
      : { message: ownMessage, parameters }
  return {
    ...mapMessage(shown, hideProtectedName),
    type: 'about:blank',
    title: entry.title,
    status: statusOf(failure.code, failure.retryable),
    code: failure.code,
    remedy: failure.ownRemedy ?? entry.remedy,
    retryable: failure.retryable,
    errorPath: failure.errorPath,
    requestId,
    ...(failure.details !== undefined && {
      details: failure.details.slice(0, DETAILS_MAX).map(hideInDetail),
    }),
  }
}
