import type { JsonValue } from '#contract/json-schema/json.ts'
import { MESSAGE_MAX } from '#contract/protocol/limits.ts'
import { hideProtectedName } from '#contract/protocol/protected-name.ts'
import type { RuntimeErrorCode } from '#contract/protocol/error-codes.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import { maskStrings } from '#http-kit/text/scrub.ts'

/** A failure of a plugin call in the runtime's own words. */
export function callFailure(
  pluginId: string,
  errorCode: RuntimeErrorCode,
  message: string,
  retryable: boolean,
): Failure {
  return {
    errorCode,
    message: atMost(hideProtectedName(message)),
    retryable,
    errorPath: errorPathTo(pluginId),
  }
}

/** From the outermost service to the source; names beyond the plugin only where they are known logical ones. */
export function errorPathTo(pluginId: string, beyond: readonly string[] = []): string[] {
  const rest = beyond[0] === pluginId ? beyond.slice(1) : beyond
  return ['bundle-runtime', pluginId, ...rest]
}

/** With these values masked in its message. Codes and logical names are not the plugin's own words. */
export function maskFailure<Kept extends Failure | null>(failure: Kept, secrets: readonly JsonValue[]): Kept {
  return failure && { ...failure, message: String(maskStrings(failure.message, secrets)) }
}

/** Cut to what a failure message may have, counted in characters as the protocol does. */
export function atMost(message: string): string {
  const characters = [...message]
  return characters.length <= MESSAGE_MAX ? message : `${characters.slice(0, MESSAGE_MAX - 1).join('')}…`
}
