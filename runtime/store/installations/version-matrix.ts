import { sql } from 'kysely'
import type { BundleRef } from '#contract/protocol/scope.ts'
import type { ClaimState } from '#contract/runtime-api/vocabulary.ts'
import type { Db } from '../../model/db.ts'
import { isAfterScope } from '../overview/list-scopes.ts'
import { inScope, isVisible } from '../visible-scopes.ts'
import type { ScopeFilter, VisibleScopes } from '../visible-scopes.ts'
import { columnsOf } from './installed-versions.ts'
import type { VersionOf } from './installed-versions.ts'

interface ScopeRow {
  scope_id: number
  environment_key: string
  application_runtime_id: string
  workspace_id: number
}

/** Up to this number, finding the installations is faster than looking into each scope in order. */
const FEW = 5_000

/**
 * The scopes that have an ACTIVE installation with one of these versions, by their parts. Few installations are found by
 * their version; if there are many, the next scopes in order are soon among those that have one.
 */
export async function listScopesWith(
  db: Db,
  visible: VisibleScopes,
  options: {
    wanted: readonly VersionOf[]
    filter: ScopeFilter
    after: readonly (string | number)[] | null
    limit: number
    /** For tests. */
    few?: number
  },
): Promise<ScopeRow[]> {
  const { wanted, filter, after, limit, few = FEW } = options
  if (wanted.length === 0) return []
  const isWanted = sql`(installation.bundle_environment_key, installation.bundle_id, installation.version) in (
    select * from unnest(${columnsOf(wanted)}))`
  const isFew = (await countInstalled(db, wanted)) <= few
  const has = isFew
    ? sql`scope.scope_id in (select scope_id from found)`
    : sql`scope.environment_key = any(array(
        select environment_key from runtime.version_count as counted
        where state = 'ACTIVE' and (bundle_environment_key, bundle_id, version) in (
          select * from unnest(${columnsOf(wanted)}))
        group by environment_key having sum(count) > 0))`
  // the limit keeps the planner from reading all installations for a few scopes
  const look = isFew
    ? sql``
    : sql`cross join lateral (
        select from runtime.installation as installation
        where installation.scope_id = scope.scope_id and installation.state = 'ACTIVE' and ${isWanted} limit 1) as one`
  // materialized, because the planner would look into each scope
  const found = isFew
    ? sql`with wanted as materialized (
        select environment, bundle, version, runtime.version_order(version) as version_order
        from unnest(${columnsOf(wanted)}) as one (environment, bundle, version)
      ), found as materialized (
        select distinct installation.scope_id from wanted join runtime.installation as installation
          on installation.bundle_id = wanted.bundle and installation.version_order = wanted.version_order
            and installation.version = wanted.version and installation.bundle_environment_key = wanted.environment
        where installation.state = 'ACTIVE'
      )`
    : sql``
  const { rows } = await sql<ScopeRow>`
    ${found}
    select scope.scope_id, scope.environment_key, scope.application_runtime_id, scope.workspace_id
    from runtime.scope as scope ${look}
    where ${isVisible(visible, 'scope')} and ${inScope(filter, 'scope')} and ${has}
      and ${isAfterScope(after)}
    order by scope.environment_key, scope.application_runtime_id, scope.workspace_id
    limit ${limit}`.execute(db)
  return rows
}

/** In all scopes, also those that the actor may not see: finding installations by their version reads all of these. */
async function countInstalled(db: Db, versions: readonly VersionOf[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(count), 0)::bigint as count from runtime.version_count
    where state = 'ACTIVE' and (bundle_environment_key, bundle_id, version) in (
      select * from unnest(${columnsOf(versions)}))`.execute(db)
  return rows[0]?.count ?? 0
}

interface InstalledRow {
  scope_id: number
  bundle_install_id: string
  bundle_environment_key: string
  bundle_id: string
  version: string
  claim: ClaimState | null
}

/** The ACTIVE installations of these bundles in these scopes, by scope. */
export async function readInstalledIn(
  db: Db,
  scopeIds: readonly number[],
  bundles: readonly BundleRef[],
): Promise<ReadonlyMap<number, InstalledRow[]>> {
  const { rows } = await sql<InstalledRow>`
    select installation.scope_id, installation.bundle_install_id, installation.bundle_environment_key,
      installation.bundle_id, installation.version, claim.state as claim
    from runtime.installation as installation
    left join runtime.operation as claim
      on claim.bundle_install_id = installation.bundle_install_id and claim.holds_claim
    where installation.scope_id = any(${scopeIds}::bigint[]) and installation.state = 'ACTIVE'
      and (installation.bundle_environment_key, installation.bundle_id) in (
        select * from unnest(${bundles.map(({ environmentKey }) => environmentKey)}::text[],
          ${bundles.map(({ bundleId }) => bundleId)}::text[]))`.execute(db)
  return Map.groupBy(rows, ({ scope_id }) => scope_id)
}
