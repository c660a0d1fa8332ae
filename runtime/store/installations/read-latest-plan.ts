import type { FrozenPlan } from '../../model/plan.ts'
import type { StoredValue } from '../../model/stored-value.ts'
import type { Db } from '../../model/db.ts'

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
