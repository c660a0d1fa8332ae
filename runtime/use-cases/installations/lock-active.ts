import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { Permission } from '#contract/endpoint/permission.ts'
import type { WriteContext } from '../context.ts'
import { refuseIfClaimed } from '../operations/freeze.ts'
import { DomainError } from '../../engine/refusals.ts'
import { findScope, scopeOf, lockScope } from '../../store/configuration/scopes.ts'
import type { ScopeRow } from '../../store/configuration/scopes.ts'
import { findInstallation } from '../../store/installations/installations.ts'
import { authorize, requireVisible, notFound } from '../authorize.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import type { InstallationRow } from '../../model/installation.ts'

/** An installation and its scope, read at one moment. */
export interface FoundInstallation {
  installation: InstallationRow
  scope: ScopeRow
}

/**
 * An installation, if the actor has this permission for it. Refuses with NOT_FOUND if they may not see it, else with
 * PERMISSION_DENIED.
 */
export async function authorizeInstallation(
  db: Db,
  actor: Actor,
  bundleInstallId: string,
  permission: Permission,
): Promise<InstallationRow> {
  const row = await findInstallation(db, bundleInstallId)
  if (row === undefined) throw notFound('installation')
  requireVisible(actor, scopeOf(row), 'installation')
  authorize(actor, permission, scopeOf(row))
  return row
}

/** As `authorizeInstallation`, with the scope. */
export async function findAuthorized(
  db: Db,
  actor: Actor,
  bundleInstallId: string,
  permission: Permission,
): Promise<FoundInstallation> {
  const installation = await authorizeInstallation(db, actor, bundleInstallId, permission)
  const scope = await findScope(db, scopeOf(installation))
  if (scope === undefined) throw notFound('installation')
  return { installation, scope }
}

/** As `findAuthorized`, with the scope locked, so that the installation stays as it is read. */
export async function lockAuthorized(
  { tx, actor }: WriteContext,
  bundleInstallId: string,
  permission: Permission,
): Promise<FoundInstallation> {
  const seen = await authorizeInstallation(tx, actor, bundleInstallId, permission)
  const scope = await lockScope(tx, scopeOf(seen))
  // read again, because only what is read under the lock stays true
  const installation = await findInstallation(tx, bundleInstallId)
  if (scope === undefined || installation === undefined) throw notFound('installation')
  return { installation, scope }
}

/** The installed version of an ACTIVE, unclaimed installation. Refuses a claim, then INSTALLATION_NOT_ACTIVE. */
export async function requireActive(db: Db, installation: InstallationRow): Promise<string> {
  // first, because the name of a running INSTALL helps more than "not active"
  await refuseIfClaimed(db, [installation.bundle_install_id])
  if (installation.state !== 'ACTIVE' || installation.version === null) {
    throw new DomainError('INSTALLATION_NOT_ACTIVE', platformMessage('installationNotActive'))
  }
  return installation.version
}
