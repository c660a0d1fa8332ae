import { isFromPlugin } from '#contract/protocol/message-reason.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import { backoffMs } from './backoff.ts'
import type { CallAfterAttempt, Judgement } from '../../model/attempt.ts'
import type { CallLimits } from '../../model/call.ts'

/**
 * Limits the repeats: after `maxAttempts` in a run the call fails with its last failure. If the effect is unknown, the
 * code becomes PLUGIN_RESULT_UNKNOWN: an unknown result never becomes "failed without effect". The message stays that of
 * the last attempt.
 */
export function afterAttempt({
  judgement,
  runAttempts,
  limits,
  fraction,
}: {
  judgement: Judgement
  /** Attempts of this run, including this one. */
  runAttempts: number
  limits: CallLimits
  /** Uniform in [0, 1). */
  fraction: number
}): CallAfterAttempt {
  const { failure } = judgement
  switch (judgement.disposition) {
    case 'done':
      return { endedWell: true, failed: false, failure: null, waitMs: null }
    case 'failed':
      return { endedWell: false, failed: true, failure, waitMs: null }
    case 'repeat': {
      if (runAttempts < limits.maxAttempts) {
        const waitMs = backoffMs({ attempts: runAttempts, maxMs: limits.maxBackoffMs, fraction })
        return { endedWell: false, failed: false, failure, waitMs }
      }
      const last = failure && { ...ended(failure, judgement), attemptsUsed: runAttempts }
      return { endedWell: false, failed: true, failure: last, waitMs: null }
    }
  }
}

/**
 * The failure of a call whose retries a person stopped: the failure of its last attempt, with who stopped them and why. As
 * after the last attempt, an uncertain result has the code PLUGIN_RESULT_UNKNOWN.
 */
export function afterStop(last: Failure, stopped: NonNullable<Failure['stopped']>): Failure {
  // only a plugin's own failure says that the call had no effect
  return { ...ended(last, { isUncertain: !isFromPlugin(last) }), stopped }
}

function ended(failure: Failure, { isUncertain }: Pick<Judgement, 'isUncertain'>): Failure {
  return isUncertain ? { ...failure, errorCode: 'PLUGIN_RESULT_UNKNOWN' } : failure
}
