import type { InstallationIdentity } from '#contract/protocol/scope.ts'
import type { InstallationState, TargetRefusal } from '#contract/runtime-api/vocabulary.ts'
import type { InstallationIdentityColumns, AppliedReference } from '../model/installation.ts'

type Claimed = Pick<AppliedReference, 'state' | 'claim_type' | 'claim_phase'>

/**
 * Whether references of an installation resolve (docs/protocol.md#when-references-resolve): it is ACTIVE; or its
 * INSTALL has applied the resources and is not finished; or its DETACH is not finished and plugins still have to clean
 * up.
 */
export function isActive({ state, claim_type, claim_phase }: Claimed): boolean {
  if (state === 'ACTIVE') return true
  if (state === 'DETACHED') return false
  return claim_type === 'DETACH' || (claim_type === 'INSTALL' && isApplied(claim_phase))
}

/**
 * Whether a plugin may resolve the property: the authorization for the last applied resources lists exactly this
 * property. That is the frozen authorization of the current operation once it has applied its resources; during all of
 * a DETACH, which may have taken over resources that no installed version defines; otherwise that of the installed
 * version.
 */
export function mayResolve(
  applied: AppliedReference,
  plugin: { pluginId: string; resource: string; propertyKey: string },
): boolean {
  const { entries, placeOf } = authorizationsOf(applied)
  const place = placeOf(plugin.resource, applied.module_id)
  return entries.some(
    (entry) =>
      entry.pluginId === plugin.pluginId &&
      entry.place === place &&
      entry.credentialProperties.includes(plugin.propertyKey),
  )
}

/**
 * Finds the plugins that may resolve a property of an installation, by id. The authorizations are read once: there may be
 * thousands of properties.
 */
export function resolversIn(
  applied: Authorized,
): (property: { locator: string; module_id: string | null; property: string }) => string[] {
  const { entries, placeOf } = authorizationsOf(applied)
  const keyOf = (place: string, property: string): string => `${place} ${property}`
  const resolving = Map.groupBy(
    entries.flatMap(({ pluginId, place, credentialProperties }) =>
      credentialProperties.map((property) => ({ pluginId, key: keyOf(place, property) })),
    ),
    ({ key }) => key,
  )
  return ({ locator, module_id, property }) => {
    const place = placeOf(locator, module_id)
    const found = place === null ? [] : (resolving.get(keyOf(place, property)) ?? [])
    return [...new Set(found.map(({ pluginId }) => pluginId))].toSorted()
  }
}

type Authorized = Pick<AppliedReference, 'claim_type' | 'claim_phase' | 'frozen' | 'declared'>

/** The authorizations for the last applied resources, and how these name a resource: by its locator or by its Module. */
function authorizationsOf({ claim_type, claim_phase, frozen, declared }: Authorized) {
  const isFrozen = claim_type === 'DETACH' || isApplied(claim_phase)
  const entries = isFrozen
    ? (frozen ?? []).flatMap(({ pluginId, resources }) =>
        resources.map(({ resource: place, credentialProperties }) => ({
          pluginId,
          place,
          credentialProperties,
        })),
      )
    : (declared ?? []).flatMap(({ pluginId, resources }) =>
        resources.map(({ object, credentialProperties }) => ({
          pluginId,
          place: object.moduleId,
          credentialProperties,
        })),
      )
  return {
    entries,
    placeOf: (locator: string, moduleId: string | null) => (isFrozen ? locator : moduleId),
  }
}

/** The part of a registered service that decides whether references of a scope may lead to it. */
interface Target {
  enabled: boolean
  owner: object | null
  owner_state: InstallationState | null
  owner_has_module: boolean
  /** Whether the scope may use it. */
  is_usable: boolean
}

/** Why a service is not a target of references now; null if it is. */
export function targetRefusal(service: Target | undefined): TargetRefusal | null {
  if (service === undefined) return 'NOT_REGISTERED'
  if (!service.is_usable) return 'NOT_ALLOWED'
  if (!service.enabled) return 'DISABLED'
  const isOwned = service.owner !== null
  return isOwned && !(service.owner_state === 'ACTIVE' && service.owner_has_module)
    ? 'OWNER_NOT_ACTIVE'
    : null
}

/** Whether a request matches the installation in every field, compared byte for byte. */
export function isSamePlace(applied: InstallationIdentityColumns, requested: InstallationIdentity): boolean {
  return (
    applied.environment_key === requested.environmentKey &&
    applied.application_runtime_id === requested.applicationRuntimeId &&
    applied.workspace_id === requested.workspaceId &&
    applied.bundle_install_id === requested.bundleInstallId &&
    applied.bundle_environment_key === requested.bundle.environmentKey &&
    applied.bundle_id === requested.bundle.bundleId
  )
}

function isApplied(phase: AppliedReference['claim_phase']): boolean {
  return phase === 'AFTER_RESOURCES' || phase === 'DONE'
}
