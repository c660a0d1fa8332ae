import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { Permission } from '#contract/endpoint/permission.ts'
import type { WriteContext } from '../context.ts'
import { refuseIfClaimed } from '../operations/freeze.ts'
import { DomainError } from '../../engine/domain-error.ts'
import { scopeOf } from '../../store/configuration/find-scope.ts'
import type { ScopeRow } from '../../store/configuration/find-scope.ts'
import { lockScope } from '../../store/configuration/lock-scope.ts'
import { findInstallation } from '../../store/installations/find-installation.ts'
import { authorize, requireVisible, notFound } from '../authorize.ts'
import type { InstallationRow } from '../../model/installation.ts'

export interface LockedInstallation {
  installation: InstallationRow
  version: string
  scope: ScopeRow
}

/**
 * An installation, if the actor has this permission for it. Refuses with NOT_FOUND if they may not see it, else with
 * PERMISSION_DENIED.
 */
export async function authorizeInstallation(
  { tx, actor }: WriteContext,
  bundleInstallId: string,
  permission: Permission,
): Promise<InstallationRow> {
  const row = await findInstallation(tx, bundleInstallId)
  if (row === undefined) throw notFound('installation')
  requireVisible(actor, scopeOf(row), 'installation')
  authorize(actor, permission, scopeOf(row))
  return row
}

/**
 * The installation, ACTIVE and unclaimed, with its scope locked so that it stays so. Refuses a claim, then
 * INSTALLATION_NOT_ACTIVE.
 */
export async function lockActive({ tx }: WriteContext, seen: InstallationRow): Promise<LockedInstallation> {
  const scope = await lockScope(tx, scopeOf(seen))
  // read again, because only what is read under the lock stays true
  const installation = await findInstallation(tx, seen.bundle_install_id)
  if (scope === undefined || installation === undefined) throw notFound('installation')
  // first, because the name of a running INSTALL helps more than "not active"
  await refuseIfClaimed(tx, [seen.bundle_install_id])
  if (installation.state !== 'ACTIVE' || installation.version === null) {
    throw new DomainError('INSTALLATION_NOT_ACTIVE', platformMessage('installationNotActive'))
  }
  return { installation, version: installation.version, scope }
}
