import type { FrozenPlan } from '../../model/plan.ts'
import { mapPlan } from '../../sealing/places.ts'
import { openingWith } from '../../sealing/stored-value.ts'
import { opening } from '../../sealing/opening.ts'
import type { Vault } from '../../model/vault.ts'
import type { Db } from '../../model/db.ts'

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
