import { CompiledAuthorization } from '../../../contract/protocol/authorization.ts'
import { PLUGIN_READS_VERSION } from '../../../contract/protocol/limits.ts'
import type { LifecycleRequest } from '../../../contract/protocol/lifecycle.ts'
import type { InstallationIdentity } from '../../../contract/protocol/scope.ts'
import { KeptReadings } from './kept-readings.ts'
import { callPlatform, isCredentialRefused, PlatformCallFailed, type PlatformOptions } from './platform.ts'
import { sdkFailure } from './result.ts'

/**
 * The authorization that the runtime compiled for this plugin on an installation: as frozen with the running operation,
 * else as installed. Null if the platform does not offer it. Throws PlatformCallFailed.
 */
export async function readAuthorization(
  options: PlatformOptions & { installation: InstallationIdentity },
): Promise<CompiledAuthorization | null> {
  const request = { contractVersion: PLUGIN_READS_VERSION, installation: options.installation }
  try {
    const reading = CompiledAuthorization.safeParse(
      await callPlatform(options, '/authorization/read', request),
    )
    if (reading.success) return reading.data
  } catch (error) {
    if (error instanceof PlatformCallFailed && error.status === 404) return null
    throw error
  }
  throw new PlatformCallFailed('PLATFORM_UNCERTAIN', 'The response of the platform is not an authorization', {
    retryable: true,
  })
}

export type AuthorizationSource = (request: LifecycleRequest) => Promise<CompiledAuthorization | null>

/**
 * Reads the authorization of each operation once, for both stages and all repeats. A failure is not kept, and becomes a
 * retryable AUTHORIZATION_UNAVAILABLE unless the platform refuses this plugin or its credential.
 */
export function authorizationOncePerOperation(options: PlatformOptions): AuthorizationSource {
  const kept = new KeptReadings<CompiledAuthorization | null>()
  return ({ operation: { operationId }, installation }) =>
    kept.find(operationId)?.reading ??
    kept.add(
      operationId,
      readAuthorization({ ...options, installation }).catch((error: unknown) => {
        throw error instanceof PlatformCallFailed ? unavailable(error) : error
      }),
    )
}

// A refused credential was read again already: a repeat of the call does not help before a person replaces it.
const unavailable = (error: PlatformCallFailed) =>
  sdkFailure(
    'AUTHORIZATION_UNAVAILABLE',
    `The authorization of the plugin could not be read: ${error.message}`,
    error.errorCode !== 'PERMISSION_DENIED' && !isCredentialRefused(error),
  )
