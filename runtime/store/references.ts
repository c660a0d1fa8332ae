import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Reference } from '#contract/protocol/typed-value.ts'
import { readTogether } from '#database/read-together.ts'
import type { Db } from '../model/db.ts'
import type { AppliedReference } from '../model/installation.ts'
import { findCredentials } from './plugins/credentials.ts'
import type { CredentialHolder } from './plugins/credentials.ts'
import { serviceQuery, usableByInstallation } from './services/services.ts'
import type { ServiceRow } from './services/services.ts'

/** A reference property of an installation: its value as saved and as last applied. */
export interface ReferenceRow {
  locator: string
  /** Null if the resource is not installed yet. */
  resource_title: string | null
  module_id: string | null
  property: string
  saved: Reference | null
  applied: Reference | null
  is_changed: boolean
}

/** The reference properties of an installation, ordered by locator and property. */
export async function listReferences(db: Db, bundleInstallId: string): Promise<ReferenceRow[]> {
  const { rows } = await sql<ReferenceRow>`
    select locator, resource_title, module_id, property, saved.value as saved, applied.value as applied,
      saved.value is distinct from applied.value as is_changed
    from (
      select locator, property, value from runtime.configuration_property
      where bundle_install_id = ${bundleInstallId} and value ->> '@type' like 'ServiceReference%'
    ) as saved
    full join (
      select locator, key as property, value from runtime.installed_resource, jsonb_each(properties)
      where bundle_install_id = ${bundleInstallId} and value ->> '@type' like 'ServiceReference%'
    ) as applied using (locator, property)
    left join (
      select locator, title as resource_title, module_id from runtime.installed_resource
      where bundle_install_id = ${bundleInstallId}
    ) as resource using (locator)
    order by locator, property`.execute(db)
  return rows
}

/** What every request of a plugin reads. */
export interface PluginReads {
  /** Undefined if there is no credential with this hash. */
  holderOf(secretHash: Buffer): Promise<CredentialHolder | undefined>
  /** Undefined if there is no such installation. */
  appliedTargets(place: PropertyOfInstallation): Promise<AppliedTargets | undefined>
}

const CONCURRENCY = 1
const MOST = 64
/** Measured with `bench -- plugin`: without it, 1,000 requests a second are mostly statements of one or two keys. */
const INTERVAL_MS = 3

/** Requests that arrive at the same time are read together, each after it has arrived: nothing is cached. */
export function createPluginReads(db: Db): PluginReads {
  return {
    holderOf: readTogether({
      read: (hashes) => findCredentials(db, hashes),
      identify: (hash) => hash.toString('hex'),
      concurrency: CONCURRENCY,
      most: MOST,
      intervalMs: INTERVAL_MS,
    }),
    appliedTargets: readTogether({
      read: (places) => readAppliedTargets(db, places),
      identify: placeKey,
      concurrency: CONCURRENCY,
      most: MOST,
      intervalMs: INTERVAL_MS,
    }),
  }
}

/** A reference property of an installed resource. */
interface PropertyOfInstallation {
  bundleInstallId: string
  /** A full locator. */
  resource: string
  propertyKey: string
}

/** With the registered services that the value refers to, and whether the scope of the installation may use them. */
interface AppliedTargets extends AppliedReference {
  targets: ServiceRow[]
}

/** What decides whether properties of an installation resolve, without their resources and values. */
export async function readAuthorized(
  db: Db,
  bundleInstallId: string,
): Promise<Omit<AppliedReference, 'module_id' | 'value'> | undefined> {
  const { rows } = await appliedQuery([{ bundleInstallId, resource: '', propertyKey: '' }]).execute(db)
  return rows[0]
}

/** Reads, for several properties in one statement, everything that decides whether each resolves. */
async function readAppliedTargets(
  db: Db,
  places: readonly PropertyOfInstallation[],
): Promise<Map<string, AppliedTargets>> {
  const targets = serviceQuery({
    where: sql`service.service_id = any(array(
      select jsonb_array_elements_text(jsonb_path_query_array(applied.value, 'strict $.**.serviceId'))))`,
    isUsable: usableByInstallation('applied'),
  })
  const { rows } = await sql<AppliedTargets & { number: number }>`
    select applied.*, coalesce((select json_agg(target) from (${targets}) as target), '[]'::json) as targets
    from (${appliedQuery(places)}) as applied`.execute(db)
  const byPlace = new Map<string, AppliedTargets>()
  for (const { number, ...row } of rows) {
    const place = places[number - 1]
    if (place !== undefined) byPlace.set(placeKey(place), row)
  }
  return byPlace
}

/** The same for equal properties. */
const placeKey = ({ bundleInstallId, resource, propertyKey }: PropertyOfInstallation): string =>
  JSON.stringify([bundleInstallId, resource, propertyKey])

/** A manifest and a plan, each up to megabytes, are read once for all places that they authorize. */
function appliedQuery(
  places: readonly PropertyOfInstallation[],
): RawBuilder<AppliedReference & { number: number }> {
  return sql<AppliedReference & { number: number }>`
    with applied as materialized (
      select
        place.number::int as number,
        installation.environment_key, installation.application_runtime_id, installation.workspace_id,
        installation.bundle_install_id, installation.bundle_environment_key, installation.bundle_id, installation.state,
        installation.version, claim.operation_id, claim.operation_type as claim_type, claim.phase as claim_phase,
        ledger.module_id, ledger.properties -> place.of_property as value
      from unnest(
        ${places.map(({ bundleInstallId }) => bundleInstallId)}::uuid[],
        ${places.map(({ resource }) => resource)}::text[],
        ${places.map(({ propertyKey }) => propertyKey)}::text[]
      ) with ordinality as place (of_installation, of_locator, of_property, number)
      join runtime.installation as installation on installation.bundle_install_id = place.of_installation
      left join runtime.operation as claim
        on claim.bundle_install_id = installation.bundle_install_id and claim.holds_claim
      left join runtime.installed_resource as ledger
        on ledger.bundle_install_id = installation.bundle_install_id and ledger.locator = place.of_locator
    ), declared as materialized (
      select bundle_environment_key, bundle_id, version, published.manifest -> 'plugins' as declared
      from (select distinct bundle_environment_key, bundle_id, version from applied) as installed
      join runtime.bundle_version as published using (bundle_environment_key, bundle_id, version)
    ), frozen as materialized (
      select operation_id, stored.plan -> 'plugins' as frozen
      from (select distinct operation_id from applied) as claiming
      join runtime.operation_plan as stored using (operation_id)
    )
    select applied.*, declared.declared, frozen.frozen
    from applied
    left join declared using (bundle_environment_key, bundle_id, version)
    left join frozen using (operation_id)`
}
