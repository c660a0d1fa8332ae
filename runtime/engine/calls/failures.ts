import type { JsonValue } from '#contract/json-schema/json.ts'
import { MESSAGE_MAX } from '#contract/protocol/limits.ts'
import { isFromPlugin, mapMessage, reasonOf } from '#contract/protocol/messages.ts'
import { hideProtectedName } from '#contract/protocol/protected-property.ts'
import type { RuntimeErrorCode } from '#contract/protocol/error-codes.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { PlatformMessage } from '#contract/protocol/platform-messages.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import { PROCESS_TROUBLES } from '#contract/runtime-api/operation-context.ts'
import type { ProcessCause } from '#contract/runtime-api/operation-context.ts'
import { areFound, maskStrings } from '#http-kit/text/scrub.ts'

/** A failure of a plugin call with a message of the runtime. */
export function callFailure(
  pluginId: string,
  errorCode: RuntimeErrorCode,
  message: PlatformMessage,
  retryable: boolean,
): Failure {
  const shown = mapMessage(message, (text) => atMost(hideProtectedName(text)))
  return { ...shown, errorCode, retryable, errorPath: errorPathTo(pluginId) }
}

/**
 * The failure of an attempt whose result was not recorded: the database accepted no writes, or else its worker was lost.
 *
 * @param lostBy what the platform did first before the next attempt of the call; null if nothing is known.
 */
export function interrupted(pluginId: string, lostBy: ProcessCause | null): Failure {
  const isTrouble = PROCESS_TROUBLES.some((trouble) => trouble === lostBy)
  const message = platformMessage(isTrouble ? 'callNotRecorded' : 'callInterrupted', { plugin: pluginId })
  return callFailure(pluginId, 'PLUGIN_RESULT_UNKNOWN', message, true)
}

/** From the outermost service to the source. Beyond the plugin it contains only known logical names. */
export function errorPathTo(pluginId: string, beyond: readonly string[] = []): string[] {
  const rest = beyond[0] === pluginId ? beyond.slice(1) : beyond
  return ['bundle-runtime', pluginId, ...rest]
}

/** Whether a plugin passes on a failure of this platform, which it called. */
export function isPassedOn(failure: Failure): boolean {
  return isFromPlugin(failure) && failure.errorPath?.at(-1) === 'module-plugin-manager'
}

/**
 * Masks these values in the message and its parameters. Codes and logical names are not free text of the plugin. If there are too many
 * values to find them, a message of the platform stays as it is: it holds logical names, and no value.
 */
export function maskFailure<Kept extends Failure | null>(failure: Kept, secrets: readonly JsonValue[]): Kept {
  if (failure !== null && isOwnMessage(failure) && !areFound(secrets)) return failure
  return failure && mapMessage(failure, (text) => String(maskStrings(text, secrets)))
}

/** Whether the platform wrote the message, and of nothing that it read in the response: where a redirect leads is text of a stranger. */
const isOwnMessage = (failure: Failure): boolean =>
  reasonOf(failure) !== null && failure.parameters?.['origin'] === undefined

/** Truncated to the maximum length of a failure message, counted in characters as the protocol does. */
export function atMost(message: string): string {
  const characters = [...message]
  return characters.length <= MESSAGE_MAX ? message : `${characters.slice(0, MESSAGE_MAX - 1).join('')}…`
}
