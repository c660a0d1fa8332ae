import { sql } from 'kysely'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import type { BundleRef } from '#contract/protocol/scope.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Db } from '../../model/db.ts'
import type { FrozenPlan, StoredValue } from '../../model/plan.ts'
import type { Vault } from '../../model/vault.ts'
import { opening, openingWith } from '../../sealing/sealed-value.ts'
import { snapshotPlace, mapPlan } from '../../sealing/places.ts'

/** Returns the manifest of a published version. It never changes after publication. */
export async function findManifest(
  db: Db,
  bundle: BundleRef,
  version: string,
): Promise<AuthorManifest | undefined> {
  const row = await db
    .selectFrom('runtime.bundle_version')
    .select('manifest')
    .where('bundle_environment_key', '=', bundle.environmentKey)
    .where('bundle_id', '=', bundle.bundleId)
    .where('version', '=', version)
    .executeTakeFirst()
  return row?.manifest
}

/** Returns the unchecked `plugins` of a published version, or undefined if the version does not exist. */
export async function readPluginBindings(
  db: Db,
  bundle: { environmentKey: string; bundleId: string },
  version: string,
): Promise<JsonValue | undefined> {
  const row = await db
    .selectFrom('runtime.bundle_version')
    .select(sql<JsonValue>`manifest -> 'plugins'`.as('plugins'))
    .where('bundle_environment_key', '=', bundle.environmentKey)
    .where('bundle_id', '=', bundle.bundleId)
    .where('version', '=', version)
    .executeTakeFirst()
  return row?.plugins
}

interface LastValue {
  locator: string
  property: string
  value: TypedValue
  is_sensitive: boolean
}

type StoredLastValue = Omit<LastValue, 'value'> & {
  scope_id: number
  snapshot_version: number
  value: StoredValue
}

/** Returns the configuration of a DETACHED installation at the time of its DETACH. */
export async function readLastConfiguration(
  db: Db,
  vault: Vault,
  bundleInstallId: string,
): Promise<LastValue[]> {
  const { rows } = await sql<StoredLastValue>`
    select change.scope_id, change.snapshot_version, change.locator, change.property, change.before as value, change.is_sensitive
    from runtime.operation
    join runtime.snapshot using (scope_id, operation_id)
    join runtime.snapshot_change as change using (scope_id, snapshot_version)
    where operation.bundle_install_id = ${bundleInstallId}
      and operation.operation_type = 'DETACH'
      and operation.state = 'SUCCEEDED'
      and change.before is not null`.execute(db)
  const open = openingWith(vault)
  return opening(vault, db, () =>
    rows.map(({ scope_id: scopeId, snapshot_version: snapshotVersion, value, ...row }) => {
      const key = { scopeId, snapshotVersion, locator: row.locator, property: row.property }
      return { ...row, value: open(value, snapshotPlace(key, 'before')) }
    }),
  )
}

/** Returns the frozen plan of an installation's last operation, with its values as stored. */
export async function readLatestPlan(
  db: Db,
  bundleInstallId: string,
): Promise<FrozenPlan<StoredValue> | undefined> {
  const row = await db
    .selectFrom('runtime.operation as operation')
    .innerJoin('runtime.operation_plan as plan', 'plan.operation_id', 'operation.operation_id')
    .select('plan.plan')
    .where('operation.bundle_install_id', '=', bundleInstallId)
    .orderBy('operation.execution_sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.plan
}

/**
 * Returns the operation and the plan of an INSTALL that never succeeded, so its values never became configuration.
 */
export async function readUnfinishedInstall(
  db: Db,
  vault: Vault,
  bundleInstallId: string,
): Promise<{ operationId: string; plan: FrozenPlan } | undefined> {
  const row = await db
    .selectFrom('runtime.operation as operation')
    .innerJoin('runtime.operation_plan as plan', 'plan.operation_id', 'operation.operation_id')
    .select(['plan.plan', 'plan.operation_id'])
    .where('operation.bundle_install_id', '=', bundleInstallId)
    .where('operation.operation_type', '=', 'INSTALL')
    .where('operation.state', '<>', 'SUCCEEDED')
    .executeTakeFirst()
  if (row === undefined) return undefined
  const plan = await opening(vault, db, () => mapPlan(row.operation_id, row.plan, openingWith(vault)))
  return { operationId: row.operation_id, plan }
}
