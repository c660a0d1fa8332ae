import { sql } from 'kysely'
import type { AppliedReference } from '../../model/reference.ts'
import type { Db } from '../../model/db.ts'

/**
 * Reads, in one statement, everything that decides whether a property of an installed resource resolves. See
 * docs/protocol.md#when-references-resolve.
 */
export async function readApplied(
  db: Db,
  at: { bundleInstallId: string; resource: string; propertyKey: string },
): Promise<AppliedReference | undefined> {
  const result = await sql<AppliedReference>`
    select
      installation.environment_key, installation.application_runtime_id, installation.workspace_id,
      installation.bundle_install_id, installation.bundle_environment_key, installation.bundle_id, installation.state,
      claim.operation_type as claim_type, claim.phase as claim_phase,
      ledger.module_id, ledger.properties -> ${at.propertyKey}::text as value,
      version.manifest -> 'plugins' as declared, plan.plan -> 'plugins' as frozen
    from runtime.installation as installation
    left join runtime.operation as claim
      on claim.bundle_install_id = installation.bundle_install_id and claim.holds_claim
    left join runtime.operation_plan as plan on plan.operation_id = claim.operation_id
    left join runtime.installed_resource as ledger
      on ledger.bundle_install_id = installation.bundle_install_id and ledger.locator = ${at.resource}
    left join runtime.bundle_version as version
      on version.bundle_environment_key = installation.bundle_environment_key
      and version.bundle_id = installation.bundle_id and version.version = installation.version
    where installation.bundle_install_id = ${at.bundleInstallId}`.execute(db)
  return result.rows[0]
}
