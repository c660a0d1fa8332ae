import { sql } from 'kysely'
import type { OperationType } from '#contract/protocol/vocabulary.ts'
import type { FrozenPlan } from '../../model/plan.ts'
import type { ScopeRow } from './find-scope.ts'
import type { StoredValue } from '../../model/stored-value.ts'
import type { Db } from '../../model/db.ts'

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
