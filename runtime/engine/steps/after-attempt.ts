import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import { callFailure } from '../calls/failures.ts'
import { backoffMs } from './backoff.ts'
import type { CallAfterAttempt, Judgement } from '../../model/attempt.ts'
import type { CallLimits } from '../../model/call.ts'

/**
 * Limits the repeats: after `maxAttempts` in a run the call fails with the plugin's last failure or, if the effect is
 * unknown, with PLUGIN_RESULT_UNKNOWN. An unknown result never becomes "failed without effect".
 */
export function afterAttempt({
  judgement,
  pluginId,
  runAttempts,
  limits,
  fraction,
}: {
  judgement: Judgement
  pluginId: string
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
      const last = judgement.isUncertain ? stillUnknown(pluginId, runAttempts) : failure
      return { endedWell: false, failed: true, failure: last, waitMs: null }
    }
  }
}

function stillUnknown(pluginId: string, attempts: number): Failure {
  const message = platformMessage('callStillUnknown', { plugin: pluginId, attempts })
  return callFailure(pluginId, 'PLUGIN_RESULT_UNKNOWN', message, true)
}
