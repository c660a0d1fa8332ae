import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Scope } from '#contract/protocol/scope.ts'
import type { Db } from '../../model/db.ts'
import type { AppliedReference } from '../../model/reference.ts'
import { serviceQuery } from '../services/select-services.ts'
import type { ServiceRow } from '../services/select-services.ts'
import { usableBy } from '../services/usable-by.ts'

interface PropertyOfInstallation {
  bundleInstallId: string
  resource: string
  propertyKey: string
}

/**
 * Reads, in one statement, everything that decides whether a property of an installed resource resolves. See
 * docs/protocol.md#when-references-resolve.
 */
export async function readApplied(db: Db, at: PropertyOfInstallation): Promise<AppliedReference | undefined> {
  const result = await appliedQuery(at).execute(db)
  return result.rows[0]
}

/** As {@link readApplied}, with the registered services that the value refers to; `scope` is that of the installation. */
export async function readAppliedTargets(
  db: Db,
  at: PropertyOfInstallation,
  scope: Scope,
): Promise<(AppliedReference & { targets: ServiceRow[] }) | undefined> {
  const targets = serviceQuery({
    where: sql`service.service_id = any(array(
      select jsonb_path_query(applied.value, 'strict $.**.serviceId') #>> '{}'))`,
    isUsable: usableBy(scope),
  })
  const result = await sql<AppliedReference & { targets: ServiceRow[] }>`
    select applied.*, coalesce((select json_agg(target) from (${targets}) as target), '[]'::json) as targets
    from (${appliedQuery(at)}) as applied`.execute(db)
  return result.rows[0]
}

function appliedQuery(at: PropertyOfInstallation): RawBuilder<AppliedReference> {
  return sql<AppliedReference>`
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
    where installation.bundle_install_id = ${at.bundleInstallId}`
}
