import type { Detail } from '#contract/protocol/envelope.ts'
import type { RuntimeErrorCode } from '#contract/protocol/error-codes.ts'

/**
 * A request that is understood and refused: it becomes the failure envelope. The message is shown to people as it is,
 * so it holds no SQL, stack, path, host, secret or sensitive value (decisions, section 7).
 */
export class DomainError extends Error {
  readonly code: RuntimeErrorCode
  readonly retryable: boolean
  readonly details: Detail[]

  constructor(
    code: RuntimeErrorCode,
    message: string,
    options: { retryable?: boolean; details?: Detail[] } = {},
  ) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.retryable = options.retryable ?? false
    this.details = options.details ?? []
  }
}
