import type { InstallationIdentity } from '#contract/protocol/scope.ts'
import type { Installation } from '#contract/runtime-api/installations.ts'
import { claimOf } from '../../store/installations/claim.ts'
import { loadInstallations } from '../../store/installations/load-installations.ts'
import type { InstallationRow } from '../../store/installations/load-installations.ts'
import type { Db } from '../../deps/runtime-deps.ts'

/** An installation as the rows of lists show it. */
export function installationView(row: InstallationRow): Installation {
  return {
    installation: identityOf(row),
    title: row.title,
    state: row.state,
    version: row.version,
    claim: claimOf(row),
    updatedAt: row.updated_at,
  }
}

export function identityOf(row: InstallationRow): InstallationIdentity {
  return {
    environmentKey: row.environment_key,
    applicationRuntimeId: row.application_runtime_id,
    workspaceId: row.workspace_id,
    bundleInstallId: row.bundle_install_id,
    bundle: { environmentKey: row.bundle_environment_key, bundleId: row.bundle_id },
  }
}

/** The list rows of the named installations, in no particular order. */
export async function loadInstallationRows(
  db: Db,
  bundleInstallIds: readonly string[],
): Promise<Installation[]> {
  return (await loadInstallations(db, bundleInstallIds)).map(installationView)
}
