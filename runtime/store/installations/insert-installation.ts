import type { ScopeRow } from '../configuration/find-scope.ts'
import type { Tx } from '../../model/db.ts'

export interface NewInstallation {
  bundleInstallId: string
  scope: ScopeRow
  bundle: { environmentKey: string; bundleId: string }
  title: string
}

/**
 * Inserts a new installation. The caller has checked, under the lock of the scope, that the bundle has no other one.
 */
export async function insertInstallation(tx: Tx, installation: NewInstallation): Promise<void> {
  const { scope } = installation
  await tx
    .insertInto('runtime.installation')
    .values({
      bundle_install_id: installation.bundleInstallId,
      scope_id: scope.scope_id,
      environment_key: scope.environment_key,
      application_runtime_id: scope.application_runtime_id,
      workspace_id: scope.workspace_id,
      bundle_environment_key: installation.bundle.environmentKey,
      bundle_id: installation.bundle.bundleId,
      title: installation.title,
      state: 'NOT_INSTALLED',
      version: null,
    })
    .execute()
}
