import { STAGES } from '#contract/protocol/vocabulary.ts'
import type { Tx } from '../../model/db.ts'
import type { FrozenPlan } from '../../model/plan.ts'
import type { Vault } from '../../model/vault.ts'
import { mapPlan, requestPlace } from '../../sealing/places.ts'
import { sealingWith } from '../../sealing/stored-value.ts'

/** The frozen bytes of an operation's first call. */
export interface FirstRequest {
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
