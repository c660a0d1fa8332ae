import type { Detail, MessageParameters } from '#contract/protocol/envelope.ts'
import type { RuntimeErrorCode } from '#contract/protocol/error-codes.ts'
import { MESSAGE_MAX } from '#contract/protocol/limits.ts'
import { parseLocator } from '#contract/protocol/locator.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { PlatformMessage } from '#contract/protocol/platform-messages.ts'
import type { Claim } from '#contract/runtime-api/claim.ts'
import type { OperationState } from '#contract/runtime-api/vocabulary.ts'

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

/** One reason to refuse, reported at its field. */
export type Problem = Detail & { errorCode: RuntimeErrorCode }

/** A problem with a message of PLATFORM_MESSAGES. */
export type PlatformProblem = Problem & PlatformMessage

/** Refuses with all problems of one kind at once; does nothing if there are none. */
export function refuseFor(problems: readonly Problem[], options: { retryable?: boolean } = {}): void {
  const refusal = refusalFor(problems, options)
  if (refusal !== null) throw refusal
}

/** The refusal with all problems of one kind, or null if there are none. */
export function refusalFor(
  problems: readonly Problem[],
  options: { retryable?: boolean } = {},
): DomainError | null {
  const [first, ...more] = problems
  if (first === undefined) return null
  if (more.length === 0 && isSentence(first))
    return new DomainError(first.errorCode, first, { details: [first], ...options })
  const count = more.length === 0 ? '' : ` (and ${more.length} more)`
  return new DomainError(first.errorCode, clip(located(first), MESSAGE_MAX - count.length) + count, {
    details: [...problems],
    ...options,
  })
}

/** Whether the message alone says it all, so that it can be shown in any language. */
const isSentence = (problem: Problem): problem is PlatformProblem =>
  problem.parameters !== undefined && problem.locator === undefined && problem.property === undefined

function located({ locator, property, message }: Problem): string {
  const place = [locator === undefined ? undefined : parseLocator(locator)?.name, property]
  const words = place.filter((word) => word !== undefined)
  return words.length === 0 ? message : `${words.join(', ')}: ${message}`
}

function clip(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}

/** Why a claimed installation cannot be changed, and what to do. */
export function claimProblem(
  bundleId: string,
  claim: Pick<Claim, 'operationId' | 'operationType'> & { state: OperationState },
): PlatformProblem {
  const { operationType, operationId } = claim
  const operation = { operationType, operationId, bundle: bundleId }
  return claim.state === 'FAILED'
    ? { errorCode: 'OPERATION_CLAIM_HELD', ...platformMessage('lockedByFailed', operation) }
    : { errorCode: 'OPERATION_IN_PROGRESS', ...platformMessage('lockedByRunning', operation) }
}

/** Whether the claim ends without a person. A FAILED operation waits for one, so retrying the request does not help. */
export function endsAutomatically(problems: readonly Problem[]): boolean {
  return problems.every(({ errorCode }) => errorCode === 'OPERATION_IN_PROGRESS')
}
