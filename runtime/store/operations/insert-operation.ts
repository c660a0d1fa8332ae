import { sql } from 'kysely'
import { STAGES } from '#contract/protocol/vocabulary.ts'
import type { OperationType } from '#contract/protocol/vocabulary.ts'
import { firstRequest } from '../../engine/steps/first-request.ts'
import { inCallOrder } from '../../engine/steps/next-step.ts'
import type { FrozenPlan } from '../../model/plan.ts'
import type { OperationRow } from '../../engine/steps/operation-view.ts'
import { mapPlan, requestPlace } from '../../sealing/places.ts'
import { sealingWith } from '../../sealing/stored-value.ts'
import type { Vault } from '../../sealing/opening.ts'
import type { Tx } from '../../deps/runtime-deps.ts'

export interface NewOperation {
  operationId: string
  bundleInstallId: string
  operationType: OperationType
  currentVersion: string | null
  targetVersion: string
  takesOver: string | null
  requestedById: string
  requestedByName: string
  reason: string | null
  plan: FrozenPlan
}

/** The operation with its plan and its calls, or null when another operation holds the claim of the installation. */
export async function insertOperation(
  tx: Tx,
  vault: Vault,
  operation: NewOperation,
): Promise<OperationRow | null> {
  const [first] = inCallOrder(operation.plan.plugins, operation.operationType)
  // the installation's row gives the sequence, so two that come together are told apart here already
  const inserted = await sql<OperationRow>`
    with installation as (
      update runtime.installation
      set last_execution_sequence = last_execution_sequence + 1, updated_at = clock_timestamp()
      where bundle_install_id = ${operation.bundleInstallId}
      returning *
    )
    insert into runtime.operation (
      operation_id, bundle_install_id, scope_id, environment_key, application_runtime_id, workspace_id,
      bundle_environment_key, bundle_id, operation_type, current_version, target_version, execution_sequence,
      state, phase, takes_over, requested_by_id, requested_by_name, reason, next_plugin)
    select ${operation.operationId}::uuid, bundle_install_id, scope_id, environment_key, application_runtime_id, workspace_id,
      bundle_environment_key, bundle_id, ${operation.operationType}, ${operation.currentVersion},
      ${operation.targetVersion}, last_execution_sequence,
      'PENDING', 'BEFORE_RESOURCES', ${operation.takesOver}::uuid, ${operation.requestedById},
      ${operation.requestedByName}, ${operation.reason}, ${first?.pluginId ?? ''}
    from installation
    on conflict (bundle_install_id) where holds_claim do nothing
    returning *`.execute(tx)
  const row = inserted.rows[0]
  if (row === undefined) return null

  const plan = mapPlan(row.operation_id, operation.plan, sealingWith(vault))
  await tx
    .insertInto('runtime.operation_plan')
    .values({ operation_id: row.operation_id, plan: JSON.stringify(plan) })
    .execute()
  const request = firstRequest(row, operation.plan)
  const calls = STAGES.flatMap((stage) =>
    operation.plan.plugins.map(({ pluginId, order }) => {
      const key = { operationId: row.operation_id, stage, pluginId }
      const isFirst = stage === 'BEFORE_RESOURCES' && pluginId === request?.pluginId
      return {
        operation_id: row.operation_id,
        stage,
        plugin_id: pluginId,
        call_order: order,
        request: isFirst ? vault.seal(request.bytes, requestPlace(key)) : null,
      }
    }),
  )
  if (calls.length > 0) await tx.insertInto('runtime.plugin_call').values(calls).execute()
  return row
}
