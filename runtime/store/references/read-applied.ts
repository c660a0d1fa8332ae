import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Db } from '../../model/db.ts'
import type { AppliedReference } from '../../model/reference.ts'
import { serviceQuery } from '../services/select-services.ts'
import type { ServiceRow } from '../services/select-services.ts'
import { usableByInstallation } from '../services/usable-by.ts'

/** A reference property of an installed resource. */
export interface PropertyOfInstallation {
  bundleInstallId: string
  /** A full locator. */
  resource: string
  propertyKey: string
}

/** With the registered services that the value refers to, and whether the scope of the installation may use them. */
export interface AppliedTargets extends AppliedReference {
  targets: ServiceRow[]
}

/**
 * Reads, in one statement, everything that decides whether a property of an installed resource resolves. See
 * docs/protocol.md#when-references-resolve.
 */
export async function readApplied(
  db: Db,
  { bundleInstallId, resource, propertyKey }: PropertyOfInstallation,
): Promise<AppliedReference | undefined> {
  const result = await appliedQuery({
    bundleInstallId: sql`${bundleInstallId}::uuid`,
    resource: sql`${resource}::text`,
    propertyKey: sql`${propertyKey}::text`,
  }).execute(db)
  return result.rows[0]
}

/** As {@link readApplied} with the targets, for several properties in one statement. */
export async function readAppliedTargets(
  db: Db,
  places: readonly PropertyOfInstallation[],
): Promise<Map<string, AppliedTargets>> {
  const targets = serviceQuery({
    where: sql`service.service_id = any(array(
      select jsonb_path_query(applied.value, 'strict $.**.serviceId') #>> '{}'))`,
    isUsable: usableByInstallation('applied'),
  })
  const applied = appliedQuery({
    bundleInstallId: sql.ref('place.of_installation'),
    resource: sql.ref('place.of_locator'),
    propertyKey: sql.ref('place.of_property'),
  })
  const { rows } = await sql<AppliedTargets & { number: number }>`
    select place.number::int as number, applied.*,
      coalesce((select json_agg(target) from (${targets}) as target), '[]'::json) as targets
    from unnest(
      ${places.map(({ bundleInstallId }) => bundleInstallId)}::uuid[],
      ${places.map(({ resource }) => resource)}::text[],
      ${places.map(({ propertyKey }) => propertyKey)}::text[]
    ) with ordinality as place (of_installation, of_locator, of_property, number)
    cross join lateral (${applied}) as applied`.execute(db)
  const byPlace = new Map<string, AppliedTargets>()
  for (const { number, ...row } of rows) {
    const place = places[number - 1]
    if (place !== undefined) byPlace.set(placeKey(place), row)
  }
  return byPlace
}

/** The same for equal properties. */
export const placeKey = ({ bundleInstallId, resource, propertyKey }: PropertyOfInstallation): string =>
  JSON.stringify([bundleInstallId, resource, propertyKey])

function appliedQuery(at: {
  [Part in keyof PropertyOfInstallation]: RawBuilder<unknown>
}): RawBuilder<AppliedReference> {
  return sql<AppliedReference>`
    select
      installation.environment_key, installation.application_runtime_id, installation.workspace_id,
      installation.bundle_install_id, installation.bundle_environment_key, installation.bundle_id, installation.state,
      claim.operation_type as claim_type, claim.phase as claim_phase,
      ledger.module_id, ledger.properties -> ${at.propertyKey} as value,
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
