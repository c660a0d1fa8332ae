import { NOT_RECEIVED } from '#contract/protocol/call-causes.ts'
import { isFromPlugin } from '#contract/protocol/message-reason.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import type { AttemptResult } from '../../model/attempt.ts'
import { interrupted } from './failures.ts'

/** Whether the plugin may have acted on an attempt with this result although it did not return a definite one. */
export function isResultUnknown({ finished, outcome, failed, reason }: AttemptResult): boolean {
  if (!finished) return true
  if (outcome !== null) return outcome === 'UNKNOWN'
  if (!failed || isFromPlugin(reason === null ? {} : { parameters: { reason } })) return false
  return reason === null || !NOT_RECEIVED.has(reason)
}

/**
 * The failure of the first of these attempts whose result is unknown; null if there is none.
 *
 * @param results Attempts of one call, the latest first.
 */
export function unknownResultOf(
  pluginId: string,
  results: readonly (AttemptResult & { failure: Failure | null })[],
): Failure | null {
  const unknown = results.find(isResultUnknown)
  return unknown === undefined ? null : (unknown.failure ?? interrupted(pluginId))
}
