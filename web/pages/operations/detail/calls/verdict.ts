import type { Attempt, Failure } from '#contract/console-api/shapes.ts'
import { NOT_RECEIVED, UNREAD_RESPONSE } from '#contract/protocol/call-causes.ts'
import { reasonOf } from '#contract/protocol/messages.ts'
import type { Outcome } from '#contract/protocol/vocabulary.ts'
import { outcomeLook, type Appearance, type CallOutcome } from '../../../../ui/states.ts'

/**
 * The result of one attempt, in more detail than a plugin's outcome: whether it responded at all, and whether its
 * response is valid.
 */
export type Verdict =
  | Outcome
  | 'IN_FLIGHT'
  /** The plugin is retired: nothing was sent, and the platform answered NOT_APPLIED in its place. */
  | 'BY_PLATFORM'
  /** A failure envelope that says that a retry cannot help. */
  | 'REFUSED'
  /** A failure envelope that requests a retry. */
  | 'REPEAT'
  /** A response that violates the protocol. */
  | 'INVALID'
  /** The plugin cannot have received the call: no connection, or not called at all. */
  | 'NOT_DELIVERED'
  /** Timeout, or a lost connection. */
  | 'NO_ANSWER'
  /** A status that says that the token of the call, or a call at that time, was not accepted. */
  | 'REJECTED'
  /** A response that says nothing definite: another status, a redirect, not JSON, truncated, too large. */
  | 'UNREADABLE'
  /** The runtime was stopped while waiting for the response. */
  | 'INTERRUPTED'
  /** The database accepted no writes when the call ended, so its result is not recorded. */
  | 'UNRECORDED'

export function verdictOf(attempt: Attempt): Verdict {
  const { outcome, failure, durationMs, httpStatus, response } = attempt
  if (attempt.byPlatform) return 'BY_PLATFORM'
  if (outcome !== null) return outcome
  if (failure === null) return durationMs === null ? 'IN_FLIGHT' : 'UNKNOWN'
  if (durationMs === null) return reasonOf(failure) === 'callNotRecorded' ? 'UNRECORDED' : 'INTERRUPTED'
  if (isFailureEnvelope(response)) return failure.retryable ? 'REPEAT' : 'REFUSED'
  if (failure.errorCode === 'PLUGIN_RESPONSE_INVALID' && !failure.retryable) return 'INVALID'
  if (!failure.retryable) return 'REFUSED'
  const reason = reasonOf(failure) ?? ''
  if (NOT_RECEIVED.has(reason)) return 'NOT_DELIVERED'
  if (isRejected(failure)) return 'REJECTED'
  return httpStatus !== null || UNREAD_RESPONSE.has(reason) ? 'UNREADABLE' : 'NO_ANSWER'
}

/** Whether the plugin refused the call because it got too many. */
export function isLimited(failure: Failure): boolean {
  const reason = reasonOf(failure)
  return reason === 'callLimited' || reason === 'callLimitedFor'
}

/** Whether the plugin did not accept the token of the call, or no call at that time. */
export function isRejected(failure: Failure): boolean {
  if (isLimited(failure)) return true
  const status = Number(failure.parameters?.['status'])
  return reasonOf(failure) === 'callHttpStatus' && (status === 401 || status === 403)
}

function isFailureEnvelope(response: unknown): boolean {
  return (
    typeof response === 'object' &&
    response !== null &&
    'errorCode' in response &&
    typeof response.errorCode === 'string' &&
    response.errorCode !== '0'
  )
}

const SUCCESS = new Set<Verdict>(['APPLIED', 'VERIFIED', 'NOT_APPLIED', 'BY_PLATFORM'])
const DEFINITE_FAILURE = new Set<Verdict>(['FAILED', 'REFUSED', 'INVALID'])
const UNCERTAIN = new Set<Verdict>([
  'UNKNOWN',
  'REPEAT',
  'NO_ANSWER',
  'UNREADABLE',
  'INTERRUPTED',
  'UNRECORDED',
])

export const isSuccess = (verdict: Verdict): boolean => SUCCESS.has(verdict)
/** An automatic retry would not fix it. */
export const isDefiniteFailure = (verdict: Verdict): boolean => DEFINITE_FAILURE.has(verdict)
/** It is unknown what the plugin did. */
export const isUncertain = (verdict: Verdict): boolean => UNCERTAIN.has(verdict)

const look = (
  tone: Appearance['tone'],
  icon: Appearance['icon'],
  name: Exclude<Verdict, keyof typeof outcomeLook>,
): Appearance => ({
  tone,
  icon,
  word: `operations.verdict.${name}`,
  meaning: `operations.verdict.${name}.meaning`,
})

export const verdictLook: Record<Verdict, Appearance> = {
  ...outcomeLook,
  BY_PLATFORM: look('quiet', 'nothing', 'BY_PLATFORM'),
  REFUSED: look('fail', 'failed', 'REFUSED'),
  INVALID: look('fail', 'failed', 'INVALID'),
  REPEAT: look('doubt', 'waiting', 'REPEAT'),
  NOT_DELIVERED: look('doubt', 'notCalled', 'NOT_DELIVERED'),
  NO_ANSWER: look('doubt', 'unknown', 'NO_ANSWER'),
  REJECTED: look('doubt', 'failed', 'REJECTED'),
  UNREADABLE: look('doubt', 'unknown', 'UNREADABLE'),
  INTERRUPTED: look('doubt', 'unknown', 'INTERRUPTED'),
  UNRECORDED: look('doubt', 'unknown', 'UNRECORDED'),
}

export const resultLook = (result: CallOutcome | Verdict): Appearance =>
  result === 'NOT_CALLED' ? outcomeLook.NOT_CALLED : verdictLook[result]
