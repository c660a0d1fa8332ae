import type { AccessResolutionRequest } from '#contract/protocol/access-resolution.ts'
import { isData, referencedServices } from '#contract/protocol/data.ts'
import { Uuid } from '#contract/protocol/keys.ts'
import type { Reference } from '#contract/protocol/typed-value.ts'
import type { TargetRefusal } from '#contract/runtime-api/vocabulary.ts'
import { DomainError } from '../../engine/refusals.ts'
import type { PluginReads } from '../../store/references.ts'
import type { ServiceRow } from '../../store/services/services.ts'
import { isActive, isSamePlace, mayResolve, targetRefusal } from '../../engine/resolution.ts'

type PropertyOfInstallation = Pick<AccessResolutionRequest, 'installation' | 'resource' | 'propertyKey'>

/**
 * The current reference of a property and all its services, if the plugin may use every one of them now.
 *
 * Throws DomainError REFERENCE_NOT_AUTHORIZED, the same for a missing installation as for one of another plugin;
 * INSTALLATION_NOT_ACTIVE; REFERENCE_TARGET_UNAVAILABLE for a target that is not usable now.
 */
export async function loadTargets(
  reads: PluginReads,
  pluginId: string,
  request: PropertyOfInstallation,
): Promise<{ reference: Reference; targets: ServiceRow[] }> {
  const { installation, resource, propertyKey } = request
  const { bundleInstallId } = installation
  // valid ids are UUIDs, and the database would reject anything else
  if (!Uuid.safeParse(bundleInstallId).success) throw notAuthorized()
  const applied = await reads.appliedTargets({ bundleInstallId, resource, propertyKey })
  if (applied === undefined || !isSamePlace(applied, installation)) throw notAuthorized()
  if (!isActive(applied)) {
    const isEarly = applied.state === 'NOT_INSTALLED'
    const message = isEarly
      ? 'References of this installation resolve once its resources are installed, in AFTER_RESOURCES.'
      : 'References of this installation do not resolve now.'
    throw new DomainError('INSTALLATION_NOT_ACTIVE', message, { retryable: isEarly })
  }
  if (!mayResolve(applied, { pluginId, resource, propertyKey })) throw notAuthorized()
  const reference = applied.value
  if (reference === null || isData(reference)) throw notAuthorized()
  const targets = referencedServices(reference).map((serviceId) => requireTarget(applied.targets, serviceId))
  return { reference, targets }
}

function requireTarget(services: readonly ServiceRow[], serviceId: string): ServiceRow {
  const service = services.find(({ service_id }) => service_id === serviceId)
  const refusal = targetRefusal(service)
  if (refusal === 'NOT_ALLOWED')
    throw new DomainError('REFERENCE_NOT_AUTHORIZED', `This scope may not use the service ${serviceId}.`)
  if (service === undefined || refusal !== null)
    throw unavailable(serviceId, UNAVAILABLE[refusal ?? 'NOT_REGISTERED'])
  return service
}

const UNAVAILABLE = {
  NOT_REGISTERED: 'is not registered',
  DISABLED: 'is disabled',
  OWNER_NOT_ACTIVE: 'belongs to a Module whose installation is not active',
} satisfies Partial<Record<TargetRefusal, string>>

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
