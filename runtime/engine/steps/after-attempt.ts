import type { JsonValue } from '#contract/json-schema/json.ts'
import { isFromPlugin } from '#contract/protocol/messages.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import type {
  CallAfterAttempt,
  CompletedAttempt,
  Judgement,
  RecordedAttempt,
  CallLimits,
  Call,
} from '../../model/call.ts'
import { maskFailure } from '../calls/failures.ts'

/**
 * Limits the repeats: after `maxAttempts` in a run the call fails with its last failure. If that attempt or an earlier one
 * of the run may have had an effect, the code becomes PLUGIN_RESULT_UNKNOWN: an unknown result never becomes "failed
 * without effect". Everything else, also its own code, is that of the last attempt: it says what to change.
 */
export function afterAttempt({
  judgement,
  runAttempts,
  limits,
  fraction,
  now,
  hasUnknownBefore = false,
}: {
  judgement: Judgement
  /** Attempts of this run, including this one. */
  runAttempts: number
  limits: CallLimits
  /** Uniform in [0, 1). */
  fraction: number
  /** The database's time. */
  now: string
  /** Whether the result of an earlier attempt of this run is unknown. */
  hasUnknownBefore?: boolean
}): CallAfterAttempt {
  const { failure } = judgement
  const askedMs = (judgement.wire?.retryAfterSeconds ?? 0) * 1000
  switch (judgement.disposition) {
    case 'done':
      return { endedWell: true, failed: false, failure: null, waitMs: null }
    case 'failed':
      return { endedWell: false, failed: true, failure, waitMs: null }
    case 'repeat': {
      if (runAttempts < limits.maxAttempts) {
        const backoff = backoffMs({ attempts: runAttempts, maxMs: limits.maxBackoffMs, fraction })
        const waitMs = askedMs === 0 ? backoff : Math.max(backoff, waitAsAsked(askedMs, fraction))
        return { endedWell: false, failed: false, failure, waitMs }
      }
      const last = failure && {
        ...ended(failure, judgement.isUncertain || hasUnknownBefore),
        attemptsUsed: runAttempts,
        ...(askedMs > 0 && { retryFrom: new Date(Date.parse(now) + askedMs).toISOString() }),
      }
      return { endedWell: false, failed: true, failure: last, waitMs: null }
    }
  }
}

/**
 * Whether the failure of the call depends on earlier attempts of its run: it fails now, and this attempt had no effect.
 */
export function dependsOnEarlier({
  judgement,
  runAttempt,
  limits,
  isGivenBack,
}: Pick<CompletedAttempt, 'judgement' | 'runAttempt' | 'limits' | 'isGivenBack'>): boolean {
  return (
    judgement.disposition === 'repeat' &&
    !judgement.isUncertain &&
    !isGivenBack &&
    runAttempt > 1 &&
    runAttempt >= limits.maxAttempts
  )
}

/**
 * The failure of a call whose retries a person stopped: the failure of its last attempt, with who stopped them and why. As
 * after the last attempt, an unknown result of any attempt of the run has the code PLUGIN_RESULT_UNKNOWN.
 *
 * @param hasUnknownBefore Whether the result of an earlier attempt of this run is unknown.
 */
export function afterStop(
  last: Failure,
  stopped: NonNullable<Failure['stopped']>,
  hasUnknownBefore: boolean,
): Failure {
  // only a plugin's own failure says that the call had no effect
  return { ...ended(last, !isFromPlugin(last) || hasUnknownBefore), stopped }
}

function ended(failure: Failure, isUnknown: boolean): Failure {
  const { errorCode: attemptCode } = failure
  return !isUnknown || attemptCode === 'PLUGIN_RESULT_UNKNOWN'
    ? failure
    : { ...failure, errorCode: 'PLUGIN_RESULT_UNKNOWN', attemptCode }
}

const FIRST_MS = 1_000
/** The longest wait that a plugin can ask for with Retry-After. A longer one is not kept: it would hold the installation. */
export const RETRY_AFTER_MAX_MS = 300_000

/** Zero if it is too long. Jitter as for the first back-off, so that calls that were told the same time are not repeated together. */
function waitAsAsked(askedMs: number, fraction: number): number {
  return askedMs > RETRY_AFTER_MAX_MS ? 0 : askedMs + Math.round(FIRST_MS * fraction)
}

/**
 * The delay before the next attempt, in milliseconds: one second after the first attempt of a run, then doubling up to
 * `maxMs`. Half of it is jitter (`fraction`, uniform in [0, 1)), so that calls that failed together are not repeated
 * together.
 */
export function backoffMs({
  attempts,
  maxMs,
  fraction,
}: {
  attempts: number
  maxMs: number
  fraction: number
}): number {
  const full = Math.min(FIRST_MS * 2 ** Math.min(attempts - 1, 30), maxMs)
  return Math.round(full / 2 + (full / 2) * fraction)
}

/** The call after its response is recorded, as `recordAttempts` leaves it. */
export function withAnswer(call: Call, answers: readonly RecordedAttempt[]): Call {
  const answer = answers.find(({ key }) => isSameCall(key, call))
  if (answer === undefined) return call
  const { after, judgement, nextAttemptAt } = answer
  const { endedWell, failed, failure } = after
  return { ...call, endedWell, failed, failure, nextAttemptAt, writes: endedWell ? judgement.writes : null }
}

/** The call with these secrets masked in its failure, which may become the failure of the operation. */
export function withoutSecrets(call: Call, secrets: readonly JsonValue[]): Call {
  return secrets.length === 0 ? call : { ...call, failure: maskFailure(call.failure, secrets) }
}

type InOperation = Pick<Call, 'stage' | 'pluginId'>

/** Whether both belong to the same call of an operation. */
export function isSameCall(one: InOperation, other: InOperation): boolean {
  return one.stage === other.stage && one.pluginId === other.pluginId
}
