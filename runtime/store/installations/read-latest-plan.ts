import type { FrozenPlan } from '../../operations/plan.ts'
import type { Db } from '../../world.ts'

/** What the last operation of an installation has frozen. */
export async function readLatestPlan(db: Db, bundleInstallId: string): Promise<FrozenPlan | undefined> {
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
