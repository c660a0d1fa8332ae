import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import type {
  AccessResolutionRequest,
  AccessResolutionResponse,
} from '#contract/protocol/access-resolution.ts'
import { isData, referencedServices } from '#contract/protocol/data.ts'
import { Uuid } from '#contract/protocol/keys.ts'
import { ACCESS_VERSION } from '#contract/protocol/limits.ts'
import type { InstallationIdentity } from '#contract/protocol/scope.ts'
import type { Reference } from '#contract/protocol/typed-value.ts'
import { DomainError } from '../../engine/domain-error.ts'
import { readApplied } from '../../store/references/read-applied.ts'
import { selectServices } from '../../store/services/select-services.ts'
import type { ServiceRow } from '../../store/services/select-services.ts'
import { usableBy } from '../../store/services/usable-by.ts'
import type { RuntimeDeps } from '../../deps/runtime-deps.ts'
import { isActive, isSamePlace, mayResolve } from '../../engine/resolution.ts'

const TOKEN_SECONDS = 300

/**
 * Gives a plugin access to all services that a property of an installation currently refers to, or to none.
 *
 * Throws DomainError REFERENCE_NOT_AUTHORIZED, the same for a missing installation as for one of another plugin;
 * INSTALLATION_NOT_ACTIVE; REFERENCE_TARGET_UNAVAILABLE for a target that is not usable now.
 */
export async function resolveReference(
  deps: RuntimeDeps,
  pluginId: string,
  request: AccessResolutionRequest,
): Promise<AccessResolutionResponse> {
  const { installation, resource, propertyKey } = request
  const reference = await readReference(deps, pluginId, request)
  const serviceIds = referencedServices(reference)
  const services = await selectServices(deps.db, {
    where: sql`service.service_id = any(${serviceIds}::text[])`,
    isUsable: usableBy(scopeOf(installation)),
  })
  const targets = serviceIds.map((serviceId) => requireTarget(services, serviceId))
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

async function readReference(
  { db }: RuntimeDeps,
  pluginId: string,
  { installation, resource, propertyKey }: AccessResolutionRequest,
): Promise<Reference> {
  const { bundleInstallId } = installation
  // valid ids are UUIDs, and the database would reject anything else
  if (!Uuid.safeParse(bundleInstallId).success) throw notAuthorized()
  const applied = await readApplied(db, { bundleInstallId, resource, propertyKey })
  if (applied === undefined || !isSamePlace(applied, installation)) throw notAuthorized()
  if (!isActive(applied)) {
    throw new DomainError('INSTALLATION_NOT_ACTIVE', 'References of this installation do not resolve now.', {
      retryable: applied.state === 'NOT_INSTALLED',
    })
  }
  if (!mayResolve(applied, { pluginId, resource, propertyKey })) throw notAuthorized()
  if (applied.value === null || isData(applied.value)) throw notAuthorized()
  return applied.value
}

function requireTarget(services: readonly ServiceRow[], serviceId: string): ServiceRow {
  const service = services.find(({ service_id }) => service_id === serviceId)
  if (service === undefined) throw unavailable(serviceId, 'is not registered')
  if (!service.is_usable) {
    throw new DomainError('REFERENCE_NOT_AUTHORIZED', `This scope may not use the service ${serviceId}.`)
  }
  if (!service.enabled) throw unavailable(serviceId, 'is disabled')
  const isOwned = service.owner !== null
  if (isOwned && !(service.owner_state === 'ACTIVE' && service.owner_has_module))
    throw unavailable(serviceId, 'belongs to a Module whose installation is not active')
  return service
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

function scopeOf({ environmentKey, applicationRuntimeId, workspaceId }: InstallationIdentity) {
  return { environmentKey, applicationRuntimeId, workspaceId }
}

function notAuthorized(): DomainError {
  return new DomainError(
    'REFERENCE_NOT_AUTHORIZED',
    'The plugin may not resolve this property: there is no such installed reference, or its authorization does not list it.',
  )
}

function unavailable(serviceId: string, what: string): DomainError {
  return new DomainError('REFERENCE_TARGET_UNAVAILABLE', `The service ${serviceId} ${what}.`, {
    retryable: true,
  })
}
