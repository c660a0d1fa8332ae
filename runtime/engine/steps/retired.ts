import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { OperationType } from '#contract/protocol/vocabulary.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import type { Judgement } from '../../model/call.ts'
import type { PlatformProblem } from '../refusals.ts'
import { callFailure } from '../calls/failures.ts'

// A retired plugin is gone for good and is never called again. The platform answers the calls of a DETACH in its place, so that its
// installations can be detached: nobody is left who could remove anything. Every other operation needs the plugin, so it is
// refused, or its call fails.

/** What happens instead of sending a call: it fails, or the platform answers it. Null: the call is sent. */
export function insteadOfCall(
  registration: { retired?: boolean } | undefined,
  operationType: OperationType,
): 'NOT_REGISTERED' | 'RETIRED' | 'ANSWER' | null {
  if (registration === undefined) return 'NOT_REGISTERED'
  if (registration.retired !== true) return null
  return operationType === 'DETACH' ? 'ANSWER' : 'RETIRED'
}

/**
 * The platform's response in the place of a retired plugin: nothing was sent, so this attempt applied nothing. It says nothing of earlier
 * attempts: if the result of one is unknown, the operation says so (`PluginCall.effectUnknown`).
 */
export const PLATFORM_ANSWER: Judgement = {
  disposition: 'done',
  isUncertain: false,
  outcome: 'NOT_APPLIED',
  failure: null,
  writes: {},
  httpStatus: null,
  recorded: null,
}

/** Why a call fails without being sent. */
export function unsentFailure(pluginId: string, why: 'NOT_REGISTERED' | 'RETIRED'): Failure {
  const plugin = { plugin: pluginId }
  return why === 'RETIRED'
    ? callFailure(pluginId, 'PLUGIN_RETIRED', platformMessage('pluginRetired', plugin), false)
    : callFailure(pluginId, 'PLUGIN_NOT_REGISTERED', platformMessage('pluginNotRegistered', plugin), true)
}

/** Why an operation that would call these plugins is refused; each retired one is named once. */
export function retiredProblems(
  plugins: readonly { pluginId: string }[],
  retired: ReadonlySet<string>,
): PlatformProblem[] {
  return [...new Set(plugins.map(({ pluginId }) => pluginId))]
    .filter((pluginId) => retired.has(pluginId))
    .map((plugin) => ({
      errorCode: 'PLUGIN_RETIRED',
      ...platformMessage('pluginRetiredRefusal', { plugin }),
    }))
}
