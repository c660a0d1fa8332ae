import type { Attempt } from '#contract/console-api/shapes.ts'
import type { Outcome } from '#contract/protocol/vocabulary.ts'
import { outcomeLook, type Appearance } from '../../../ui/states.ts'

/**
 * What came of one attempt, told finer than the outcome that a plugin answers: whether it answered at all, and whether
 * what it answered can be believed.
 */
export type Verdict =
  | Outcome
  | 'IN_FLIGHT'
  /** A failure envelope that says that no repeat can help. */
  | 'REFUSED'
  /** A failure envelope that asks for a repeat. */
  | 'REPEAT'
  /** An answer that breaks the protocol. */
  | 'INVALID'
  /** Time-out, reset, refused. */
  | 'NO_ANSWER'
  /** Something came back that says nothing: another status, no JSON, cut. */
  | 'UNREADABLE'
  /** The runtime was stopped while it waited. */
  | 'INTERRUPTED'

export function verdictOf(attempt: Attempt): Verdict {
  const { outcome, failure, durationMs, httpStatus, response } = attempt
  if (outcome !== null) return outcome
  if (failure === null) return durationMs === null ? 'IN_FLIGHT' : 'UNKNOWN'
  if (durationMs === null) return 'INTERRUPTED'
  if (failure.errorCode === 'PLUGIN_RESPONSE_INVALID' && !failure.retryable) return 'INVALID'
  if (isFailureEnvelope(response)) return failure.retryable ? 'REPEAT' : 'REFUSED'
  if (!failure.retryable) return 'REFUSED'
  return httpStatus === null ? 'NO_ANSWER' : 'UNREADABLE'
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

const SUCCESS = new Set<Verdict>(['APPLIED', 'VERIFIED', 'NOT_APPLIED'])
const DEFINITE_FAILURE = new Set<Verdict>(['FAILED', 'REFUSED', 'INVALID'])

export const isSuccess = (verdict: Verdict): boolean => SUCCESS.has(verdict)
/** Nothing that a repeat by itself would mend. */
export const isDefiniteFailure = (verdict: Verdict): boolean => DEFINITE_FAILURE.has(verdict)
/** Nobody knows what the plugin did. */
export const isUncertain = (verdict: Verdict): boolean =>
  !isSuccess(verdict) && !isDefiniteFailure(verdict) && verdict !== 'IN_FLIGHT'

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
  REFUSED: look('fail', 'failed', 'REFUSED'),
  INVALID: look('fail', 'failed', 'INVALID'),
  REPEAT: look('doubt', 'waiting', 'REPEAT'),
  NO_ANSWER: look('doubt', 'unknown', 'NO_ANSWER'),
  UNREADABLE: look('doubt', 'unknown', 'UNREADABLE'),
  INTERRUPTED: look('doubt', 'unknown', 'INTERRUPTED'),
}
