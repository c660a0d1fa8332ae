import type { Selectable } from 'kysely'
import type { FrozenPlan } from '../../model/plan.ts'
import { mapPlan } from '../../sealing/places.ts'
import { openingWith } from '../../sealing/stored-value.ts'
import { openingEach } from '../../sealing/opening.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import { hasPlanOutline } from './plan-outline.ts'
import type { Vault } from '../../model/vault.ts'
import type { Db } from '../../model/db.ts'

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
