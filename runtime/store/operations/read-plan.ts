import type { FrozenPlan } from '../../operations/plan.ts'
import type { Db } from '../../world.ts'

/** The frozen plan of an operation; every operation has one. */
export async function readPlan(db: Db, operationId: string): Promise<FrozenPlan> {
  const { plan } = await db
    .selectFrom('runtime.operation_plan')
    .select('plan')
    .where('operation_id', '=', operationId)
    .executeTakeFirstOrThrow()
  return plan
}
