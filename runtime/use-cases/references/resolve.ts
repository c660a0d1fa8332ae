import { decodeJwt } from 'jose'
import type {
  AccessResolutionRequest,
  AccessResolutionResponse,
} from '#contract/protocol/access-resolution.ts'
import { ACCESS_VERSION } from '#contract/protocol/limits.ts'
import type { InstallationIdentity } from '#contract/protocol/scope.ts'
import type { ServiceRow } from '../../store/services/select-services.ts'
import type { RuntimeDeps } from '../../deps/runtime-deps.ts'
import { loadTargets } from './load-targets.ts'

const TOKEN_SECONDS = 300

/**
 * Gives a plugin access to all services that a property of an installation currently refers to, or to none.
 *
 * Throws DomainError as {@link loadTargets} does.
 */
export async function resolveReference(
  deps: RuntimeDeps,
  pluginId: string,
  request: AccessResolutionRequest,
): Promise<AccessResolutionResponse> {
  const { installation, resource, propertyKey } = request
  const { reference, targets } = await loadTargets(deps, pluginId, request)
  const tokens = await Promise.all(targets.map((target) => sign(deps, pluginId, installation, target)))
  return {
    contractVersion: ACCESS_VERSION,
    installation,
    resource,
    propertyKey,
    reference,
    access: Object.fromEntries(
      targets.map(({ service_id, url }, index) => [service_id, { url, token: tokens[index] ?? '' }]),
    ),
    expiresAt: earliestExpiry(deps, tokens),
  }
}

function sign(
  { signer }: RuntimeDeps,
  pluginId: string,
  installation: InstallationIdentity,
  { service_id, methods }: ServiceRow,
): Promise<string> {
  return signer.sign({ sub: pluginId, installation, methods }, service_id, TOKEN_SECONDS)
}

/** Read from the tokens themselves, which count in whole seconds. */
function earliestExpiry({ clock }: RuntimeDeps, tokens: readonly string[]): string {
  const expiries = tokens.map((token) => decodeJwt(token).exp ?? 0)
  // an empty map or list contains no token; it may be resolved again after the usual time
  const earliest = Math.min(...expiries, Math.floor(clock.now().getTime() / 1000) + TOKEN_SECONDS)
  return new Date(earliest * 1000).toISOString()
}
