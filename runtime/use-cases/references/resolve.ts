import type {
  AccessResolutionRequest,
  AccessResolutionResponse,
} from '#contract/protocol/access-resolution.ts'
import { ACCESS_VERSION } from '#contract/protocol/limits.ts'
import type { RuntimeDeps } from '../../deps/runtime-deps.ts'
import type { PluginReads } from '../../store/references.ts'
import { loadTargets } from './load-targets.ts'

const TOKEN_SECONDS = 300

/**
 * Gives a plugin access to all services that a property of an installation currently refers to, or to none.
 *
 * Throws DomainError as {@link loadTargets} does.
 */
export async function resolveReference(
  { signer, clock, reads }: Pick<RuntimeDeps, 'signer' | 'clock'> & { reads: PluginReads },
  pluginId: string,
  request: AccessResolutionRequest,
): Promise<AccessResolutionResponse> {
  const { installation, resource, propertyKey } = request
  const { reference, targets } = await loadTargets(reads, pluginId, request)
  // read before the tokens are signed, so that none of them expires earlier; they count in whole seconds
  const expiry = (Math.floor(clock.now().getTime() / 1000) + TOKEN_SECONDS) * 1000
  const tokens = await Promise.all(
    targets.map(({ service_id, methods }) =>
      signer.sign({ sub: pluginId, installation, methods }, service_id, TOKEN_SECONDS),
    ),
  )
  return {
    contractVersion: ACCESS_VERSION,
    installation,
    resource,
    propertyKey,
    reference,
    access: Object.fromEntries(
      targets.map(({ service_id, url }, index) => [service_id, { url, token: tokens[index] ?? '' }]),
    ),
    expiresAt: new Date(expiry).toISOString(),
  }
}
