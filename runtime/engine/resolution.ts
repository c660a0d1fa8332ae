import type { InstallationIdentity } from '#contract/protocol/scope.ts'
import type { AppliedReference } from '../model/reference.ts'

type Claimed = Pick<AppliedReference, 'state' | 'claim_type' | 'claim_phase'>

/**
 * Whether references of an installation resolve (decisions, section 6): it is ACTIVE; or its INSTALL has applied the
 * resources and is not finished; or a DETACH is not finished, whose plugins have something to clean up elsewhere.
 */
export function isActive({ state, claim_type, claim_phase }: Claimed): boolean {
  if (state === 'ACTIVE') return true
  if (state === 'DETACHED') return false
  return claim_type === 'DETACH' || (claim_type === 'INSTALL' && isApplied(claim_phase))
}

/**
 * Whether a plugin may resolve the property: the authorization that goes with what RESOURCES last applied lists this
 * very property. That is the frozen one of the current operation once it has applied its resources, and all along in a
 * DETACH, which may have taken over resources of which no installed version knows; else that of the installed version.
 */
export function mayResolve(
  applied: AppliedReference,
  plugin: { pluginId: string; resource: string; propertyKey: string },
): boolean {
  if (applied.claim_type === 'DETACH' || isApplied(applied.claim_phase)) {
    return (applied.frozen ?? [])
      .filter(({ pluginId }) => pluginId === plugin.pluginId)
      .flatMap(({ resources }) => resources)
      .some(
        ({ resource, credentialProperties }) =>
          resource === plugin.resource && credentialProperties.includes(plugin.propertyKey),
      )
  }
  return (applied.declared ?? [])
    .filter(({ pluginId }) => pluginId === plugin.pluginId)
    .flatMap(({ resources }) => resources)
    .some(
      ({ object, credentialProperties }) =>
        object.moduleId === applied.module_id && credentialProperties.includes(plugin.propertyKey),
    )
}

/** Whether a request names the place of the installation in every field; compared byte for byte. */
export function isSamePlace(applied: AppliedReference, asked: InstallationIdentity): boolean {
  return (
    applied.environment_key === asked.environmentKey &&
    applied.application_runtime_id === asked.applicationRuntimeId &&
    applied.workspace_id === asked.workspaceId &&
    applied.bundle_install_id === asked.bundleInstallId &&
    applied.bundle_environment_key === asked.bundle.environmentKey &&
    applied.bundle_id === asked.bundle.bundleId
  )
}

function isApplied(phase: AppliedReference['claim_phase']): boolean {
  return phase === 'AFTER_RESOURCES' || phase === 'DONE'
}
