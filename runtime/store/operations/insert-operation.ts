import { sql } from 'kysely'
import type { OperationType } from '#contract/protocol/vocabulary.ts'
import type { OperationRow } from '../../model/operation.ts'
import type { Tx } from '../../model/db.ts'

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
  /** The plugin of the first call; empty if there is none. */
  nextPlugin: string
}

/**
 * Inserts an operation. Returns it, or null if another operation holds the claim of the installation, or if it or its
 * scope has no number left for this operation and the snapshot of its success.
 */
export async function insertOperation(tx: Tx, operation: NewOperation): Promise<OperationRow | null> {
  // the row of the installation issues the sequence, so concurrent inserts already conflict here
  const inserted = await sql<OperationRow>`
    with installation as (
      update runtime.installation
      set last_execution_sequence = last_execution_sequence + 1, updated_at = clock_timestamp()
      where bundle_install_id = ${operation.bundleInstallId} and last_execution_sequence < ${Number.MAX_SAFE_INTEGER}
        and exists (
          select from runtime.scope
          where scope.scope_id = installation.scope_id and snapshot_version < ${Number.MAX_SAFE_INTEGER})
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
      ${operation.requestedByName}, ${operation.reason}, ${operation.nextPlugin}
    from installation
    on conflict (bundle_install_id) where holds_claim do nothing
    returning *`.execute(tx)
  return inserted.rows[0] ?? null
}

/** The numbers that the last operation of an installation and the last snapshot of its scope have. */
export function lastNumbers(
  tx: Tx,
  bundleInstallId: string,
): Promise<{ last_execution_sequence: number; snapshot_version: number } | undefined> {
  return tx
    .selectFrom('runtime.installation as installation')
    .innerJoin('runtime.scope as scope', 'scope.scope_id', 'installation.scope_id')
    .where('installation.bundle_install_id', '=', bundleInstallId)
    .select(['installation.last_execution_sequence', 'scope.snapshot_version'])
    .executeTakeFirst()
}
