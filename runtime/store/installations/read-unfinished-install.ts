import type { FrozenPlan } from '../../operations/plan.ts'
import type { Db } from '../../world.ts'

/** The plan of an INSTALL that never succeeded, so that its values never became configuration. */
export async function readUnfinishedInstall(
  db: Db,
  bundleInstallId: string,
): Promise<FrozenPlan | undefined> {
  const row = await db
    .selectFrom('runtime.operation as operation')
    .innerJoin('runtime.operation_plan as plan', 'plan.operation_id', 'operation.operation_id')
    .select('plan.plan')
    .where('operation.bundle_install_id', '=', bundleInstallId)
    .where('operation.operation_type', '=', 'INSTALL')
    .where('operation.state', '<>', 'SUCCEEDED')
    .executeTakeFirst()
  return row?.plan
}
