import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { BundleRef } from '#contract/protocol/scope.ts'
import type { InstallationState } from '#contract/runtime-api/vocabulary.ts'
import type { Db, Tx } from '../../model/db.ts'
import type { InstallationViewRow, InstallationColumns } from '../../model/installation.ts'
import type { OperationRow } from '../../model/operation.ts'
import { isNewer, newestOffered } from '../catalog/versions.ts'
import { obstacleOf } from '../operations/calls.ts'
import type { ScopeRow } from '../configuration/scopes.ts'

/** The columns to select after `left join runtime.operation as claim on … and claim.holds_claim`. */
export const claimColumns = [
  'claim.operation_id as claim_operation_id',
  'claim.operation_type as claim_operation_type',
  'claim.state as claim_state',
  'claim.created_at as claim_since',
  'claim.started_at as claim_started_at',
  'claim.run_started_at as claim_run_started_at',
  'claim.finished_at as claim_finished_at',
  'claim.failure as claim_failure',
  'claim.in_doubt_since as claim_in_doubt_since',
  'claim.requested_by_id as claim_requested_by_id',
  'claim.requested_by_name as claim_requested_by_name',
] as const

/** What stands in the way of the claiming operation. Selected with `claimColumns`. */
export const claimObstacle = obstacleOf('claim')

/** The same for a statement that is written as SQL. */
export const selectedClaim = sql.join([
  ...claimColumns.map((column) => {
    const [from = '', to = ''] = column.split(' as ')
    return sql`${sql.ref(from)} as ${sql.ref(to)}`
  }),
  sql`${claimObstacle} as claim_obstacle`,
])

/**
 * The newest published version of the bundle that its pin allows, if it is newer than that of an ACTIVE installation. Expects the
 * alias `installation`.
 */
export const upgradeTo = sql<string | null>`(
  select newest.version
  from runtime.bundle_version as installed, lateral ${newestOffered('installed', 'installation.pinned_to')} as newest
  where installation.state = 'ACTIVE'
    and installed.bundle_environment_key = installation.bundle_environment_key
    and installed.bundle_id = installation.bundle_id and installed.version = installation.version
    and ${isNewer('newest', 'installed')})`

/** What is said of the installed version, as the runtime API returns it. Expects the alias `installation`. */
export const versionStanding = sql<InstallationViewRow['version_standing']>`(
  select json_build_object('kind', installed.standing, 'message', installed.standing_message)
  from runtime.bundle_version as installed
  where installed.standing is not null and installation.state = 'ACTIVE'
    and installed.bundle_environment_key = installation.bundle_environment_key
    and installed.bundle_id = installation.bundle_id and installed.version = installation.version)`

/** Returns one installation with its claim. */
export async function findInstallation(
  db: Db,
  bundleInstallId: string,
): Promise<InstallationViewRow | undefined> {
  const [found] = await loadInstallations(db, [bundleInstallId])
  return found
}

/** Protects an installation, or lifts its protection with null. */
export async function setProtection(
  tx: Tx,
  bundleInstallId: string,
  protection: { by: { id: string; name: string }; reason: string } | null,
): Promise<void> {
  await tx
    .updateTable('runtime.installation')
    .set({
      protected_at: protection && sql<string>`clock_timestamp()`,
      protected_by_id: protection?.by.id ?? null,
      protected_by_name: protection?.by.name ?? null,
      protected_reason: protection?.reason ?? null,
      updated_at: sql<string>`clock_timestamp()`,
    })
    .where('bundle_install_id', '=', bundleInstallId)
    .execute()
}

/** Pins an installation, or removes its pin with null. */
export async function setPin(
  tx: Tx,
  bundleInstallId: string,
  pin: { versions: string; by: { id: string; name: string }; reason: string } | null,
): Promise<void> {
  await tx
    .updateTable('runtime.installation')
    .set({
      pinned_to: pin?.versions ?? null,
      pinned_at: pin && sql<string>`clock_timestamp()`,
      pinned_by_id: pin?.by.id ?? null,
      pinned_by_name: pin?.by.name ?? null,
      pinned_reason: pin?.reason ?? null,
      updated_at: sql<string>`clock_timestamp()`,
    })
    .where('bundle_install_id', '=', bundleInstallId)
    .execute()
}

/** Returns the installation of a bundle in a scope that is not DETACHED; there is at most one. */
export function findUndetached(
  db: Db,
  scopeId: number,
  bundle: BundleRef,
): Promise<{ bundle_install_id: string } | undefined> {
  return db
    .selectFrom('runtime.installation')
    .select('bundle_install_id')
    .where('scope_id', '=', scopeId)
    .where('bundle_environment_key', '=', bundle.environmentKey)
    .where('bundle_id', '=', bundle.bundleId)
    .where('state', '<>', 'DETACHED')
    .executeTakeFirst()
}

/** Returns the given installations with their claims, unordered. */
export function loadInstallations(
  db: Db,
  bundleInstallIds: readonly string[],
): Promise<InstallationViewRow[]> {
  return db
    .selectFrom('runtime.installation as installation')
    .leftJoin('runtime.operation as claim', (join) =>
      join
        .onRef('claim.bundle_install_id', '=', 'installation.bundle_install_id')
        .on('claim.holds_claim', '=', true),
    )
    .selectAll('installation')
    .select(claimColumns)
    .select(claimObstacle.as('claim_obstacle'))
    .select(upgradeTo.as('upgrade_to'))
    .select(versionStanding.as('version_standing'))
    .where('installation.bundle_install_id', '=', sql<string>`any(${[...bundleInstallIds]}::uuid[])`)
    .execute()
}

/** The installations of the same bundle in the same scope: the last one before this one, and the newest one after it. */
export async function findNeighbors(
  db: Db,
  { bundle_install_id, scope_id, bundle_environment_key, bundle_id, created_at }: InstallationColumns,
): Promise<{ before: string | null; after: { id: string; state: InstallationState } | null }> {
  const { rows } = await sql<{ id: string; state: InstallationState; is_after: boolean }>`
    select bundle_install_id as id, state,
      (created_at, bundle_install_id) > (${created_at}::timestamptz, ${bundle_install_id}::uuid) as is_after
    from runtime.installation
    where scope_id = ${scope_id} and bundle_environment_key = ${bundle_environment_key} and bundle_id = ${bundle_id}
      and bundle_install_id <> ${bundle_install_id}
    order by created_at desc, bundle_install_id desc`.execute(db)
  const before = rows.find(({ is_after }) => !is_after)
  const [newest] = rows
  return {
    before: before?.id ?? null,
    after: newest?.is_after ? { id: newest.id, state: newest.state } : null,
  }
}

/** Who requested the DETACH that ended an installation; the audit knows it when the operation is no longer stored. */
export async function findDetach(
  db: Db,
  bundleInstallId: string,
): Promise<
  | { at: string; by_id: string; by_name: string; reason: string | null; operation_id: string | null }
  | undefined
> {
  const operation = await db
    .selectFrom('runtime.operation')
    .select(['requested_by_id as by_id', 'requested_by_name as by_name', 'reason', 'operation_id'])
    .select(sql<string>`coalesce(finished_at, created_at)`.as('at'))
    .where('bundle_install_id', '=', bundleInstallId)
    .where('operation_type', '=', 'DETACH')
    .where('state', '=', 'SUCCEEDED')
    .executeTakeFirst()
  if (operation !== undefined) return operation
  return db
    .selectFrom('runtime.audit_entry')
    .select([
      'at',
      'actor_id as by_id',
      'actor_name as by_name',
      'reason',
      sql<null>`null`.as('operation_id'),
    ])
    .where('bundle_install_id', '=', bundleInstallId)
    .where('action', 'in', ['installation.detach', 'operation.takeover'])
    .where('outcome', '=', 'DONE')
    .orderBy('sequence', 'desc')
    .executeTakeFirst()
}

interface NewInstallation {
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

/** Locks an installation until the transaction ends, and returns it. */
export function lockInstallation(tx: Tx, bundleInstallId: string): Promise<InstallationColumns> {
  return tx
    .selectFrom('runtime.installation')
    .selectAll()
    .where('bundle_install_id', '=', bundleInstallId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
}

/** For `persistTransitions`: updates state and version of the installations whose operation succeeded. */
export function updateInstallations(operations: readonly OperationRow[]): RawBuilder<unknown> {
  const settled = operations.map(stateAfter)
  return sql`
    settled as (
      update runtime.installation
      set state = coalesce(settled.state, installation.state),
        version = coalesce(settled.version, installation.version),
        updated_at = clock_timestamp()
      from unnest(
        ${operations.map((operation) => operation.operation_id)}::uuid[],
        ${operations.map((operation) => operation.bundle_install_id)}::uuid[],
        ${settled.map(({ state }) => state)}::text[],
        ${settled.map(({ version }) => version)}::text[])
        as settled (operation_id, bundle_install_id, state, version)
      join confirmed using (operation_id)
      where installation.bundle_install_id = settled.bundle_install_id
    )`
}

/** Null if it does not change. */
function stateAfter({ operation_type, target_version }: OperationRow): {
  state: InstallationState | null
  version: string | null
} {
  switch (operation_type) {
    case 'INSTALL':
      return { state: 'ACTIVE', version: target_version }
    case 'UPGRADE':
      return { state: null, version: target_version }
    case 'CONFIGURE':
      return { state: null, version: null }
    case 'DETACH':
      return { state: 'DETACHED', version: null }
  }
}
