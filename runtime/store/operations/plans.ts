import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import { isJsonObject } from '#contract/json-schema/json.ts'
import { STAGES } from '#contract/protocol/vocabulary.ts'
import type { OperationType } from '#contract/protocol/vocabulary.ts'
import type { Tx, Db } from '../../model/db.ts'
import type { FrozenPlan, StoredValue } from '../../model/plan.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import type { Vault } from '../../model/vault.ts'
import { openingEach, sealingWith, openingWith } from '../../sealing/sealed-value.ts'
import { mapPlan, requestPlace } from '../../sealing/places.ts'
import type { ScopeRow } from '../configuration/scopes.ts'

/** The frozen bytes of an operation's first call. */
interface FirstRequest {
  pluginId: string
  bytes: Uint8Array
}

/** Stores the frozen plan of a new operation and a call for each plugin and stage, the first one with its request. */
export async function insertPlan(
  tx: Tx,
  vault: Vault,
  operationId: string,
  plan: FrozenPlan,
  first: FirstRequest | null,
): Promise<void> {
  const stored = mapPlan(operationId, plan, sealingWith(vault))
  await tx
    .insertInto('runtime.operation_plan')
    .values({ operation_id: operationId, plan: JSON.stringify(stored) })
    .execute()
  const calls = STAGES.flatMap((stage) =>
    plan.plugins.map(({ pluginId, order }) => {
      const isFirst = stage === 'BEFORE_RESOURCES' && pluginId === first?.pluginId
      return {
        operation_id: operationId,
        stage,
        plugin_id: pluginId,
        call_order: order,
        request: isFirst ? vault.seal(first.bytes, requestPlace({ operationId, stage, pluginId })) : null,
      }
    }),
  )
  if (calls.length > 0) await tx.insertInto('runtime.plugin_call').values(calls).execute()
}

function isPlugin(plugin: unknown): boolean {
  if (!isJsonObject(plugin) || typeof plugin['pluginId'] !== 'string') return false
  return isListOf(plugin['resources'], (item) => isJsonObject(item) && Array.isArray(item['writeProperties']))
}

const isListOf = (list: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(list) && list.every(isItem)

/** Whether a stored plan has the shape of a plan. If so, an error inside it affects only its own operation. */
function hasPlanOutline(plan: unknown): boolean {
  if (!isJsonObject(plan)) return false
  const { resources, plugins, changes } = plan
  return isListOf(resources, isJsonObject) && isListOf(changes, isJsonObject) && isListOf(plugins, isPlugin)
}

export type StoredPlanRow = Pick<Selectable<RuntimeTables['runtime.operation_plan']>, 'operation_id' | 'plan'>

/** Returns the frozen plan of an operation. Every operation has one. */
export async function readPlan(db: Db, vault: Vault, operationId: string): Promise<FrozenPlan> {
  const rows = await db
    .selectFrom('runtime.operation_plan')
    .select(['operation_id', 'plan'])
    .where('operation_id', '=', operationId)
    .execute()
  const plan = (await openPlans(db, vault, rows)).get(operationId)
  if (plan === undefined) throw new Error(`operation ${operationId} has no frozen plan`)
  if (plan instanceof Error) throw plan
  return plan
}

/** The size of the values of a plan: how much there is to read, whatever is shown of it. */
export function bytesOfValues(plan: FrozenPlan | null): number {
  if (plan === null) return 0
  const values = [plan.changes, plan.resources.map(({ properties }) => properties)]
  return Buffer.byteLength(JSON.stringify(values))
}

/**
 * Opens frozen plans, by operation. The result of a plan that is damaged or does not open is its error, so that the
 * others can be used.
 */
export async function openPlans(
  db: Db,
  vault: Vault,
  rows: readonly StoredPlanRow[],
): Promise<Map<string, FrozenPlan | Error>> {
  const plans = await openingEach(vault, db, rows, ({ operation_id, plan }) => {
    if (!hasPlanOutline(plan)) throw new Error('its frozen plan is damaged')
    return mapPlan(operation_id, plan, openingWith(vault))
  })
  return new Map(rows.map((row, index) => [row.operation_id, plans[index]!]))
}

export interface PlanAt {
  bundle_install_id: string
  operation_type: OperationType
  plan: FrozenPlan<StoredValue>
}

/**
 * For each installation of a scope, returns the plan of the last INSTALL, UPGRADE or DETACH that had succeeded while
 * the snapshot was the current one, that is, before the next snapshot. Both are written under the lock of the scope,
 * so their times can be compared. The exception is an operation whose success makes a later snapshot: it finishes a
 * moment before its snapshot is written.
 */
export async function readPlansAt(db: Db, scope: ScopeRow, snapshotVersion: number): Promise<PlanAt[]> {
  const { rows } = await sql<PlanAt>`
    select installation.bundle_install_id, standing.operation_type, standing.plan
    from runtime.installation
    cross join lateral (
      select operation.operation_type, operation_plan.plan
      from runtime.operation join runtime.operation_plan using (operation_id)
      where operation.bundle_install_id = installation.bundle_install_id
        and operation.state = 'SUCCEEDED'
        and operation.operation_type <> 'CONFIGURE'
        and operation.finished_at < coalesce(
          (select saved_at from runtime.snapshot
            where scope_id = ${scope.scope_id} and snapshot_version > ${snapshotVersion}
            order by snapshot_version limit 1),
          'infinity')
        and operation.operation_id not in (
          select later.operation_id from runtime.snapshot as later
          where later.scope_id = ${scope.scope_id} and later.snapshot_version > ${snapshotVersion}
            and later.operation_id is not null)
      order by operation.execution_sequence desc
      limit 1
    ) as standing
    where installation.environment_key = ${scope.environment_key}
      and installation.application_runtime_id = ${scope.application_runtime_id}
      and installation.workspace_id = ${scope.workspace_id}`.execute(db)
  return rows
}
