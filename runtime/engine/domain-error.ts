import type { Detail, MessageParameters } from '#contract/protocol/envelope.ts'
import type { PlatformMessage } from '#contract/protocol/platform-messages.ts'
import type { RuntimeErrorCode } from '#contract/protocol/error-codes.ts'

/**
 * A request that was understood and refused: it becomes the failure envelope. The message is shown to people, so it
 * contains no SQL, stack, path, host, secret or sensitive value (docs/protocol.md#failure-data).
 */
export class DomainError extends Error {
  readonly code: RuntimeErrorCode
  readonly retryable: boolean
  readonly details: Detail[]
  /** Of a message of PLATFORM_MESSAGES. */
  readonly parameters: MessageParameters | undefined

  constructor(
    code: RuntimeErrorCode,
    message: string | PlatformMessage,
    options: { retryable?: boolean; details?: Detail[] } = {},
  ) {
    super(typeof message === 'string' ? message : message.message)
    this.name = 'DomainError'
    this.code = code
    this.retryable = options.retryable ?? false
    this.details = options.details ?? []
    this.parameters = typeof message === 'string' ? undefined : message.parameters
  }
}
