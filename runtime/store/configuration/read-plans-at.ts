import { sql } from 'kysely'
import type { OperationType } from '#contract/protocol/vocabulary.ts'
import type { FrozenPlan } from '../../operations/plan.ts'
import type { Db } from '../../world.ts'

export interface PlanAt {
  bundle_install_id: string
  operation_type: OperationType
  plan: FrozenPlan
}

/** For each installation of a scope, the plan of the last INSTALL, UPGRADE or DETACH that stood at a snapshot. */
export async function readPlansAt(db: Db, scopeId: number, snapshotVersion: number): Promise<PlanAt[]> {
  const { rows } = await sql<PlanAt>`
    with standing as (
      select distinct on (operation.bundle_install_id)
        operation.bundle_install_id, operation.operation_id, operation.operation_type
      from runtime.snapshot
      join runtime.operation using (operation_id)
      where snapshot.scope_id = ${scopeId}
        and snapshot.snapshot_version <= ${snapshotVersion}
        and operation.operation_type <> 'CONFIGURE'
      order by operation.bundle_install_id, snapshot.snapshot_version desc
    )
    select standing.bundle_install_id, standing.operation_type, operation_plan.plan
    from standing join runtime.operation_plan using (operation_id)`.execute(db)
  return rows
}
