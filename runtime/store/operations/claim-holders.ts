import type { OperationType } from '#contract/protocol/vocabulary.ts'
import type { OperationState } from '#contract/runtime-api/vocabulary.ts'
import type { Db } from '../../model/db.ts'

export interface ClaimHolder {
  bundleInstallId: string
  bundleId: string
  operationId: string
  operationType: OperationType
  state: OperationState
}

/** Returns the operations that claim these installations, unfinished ones first. */
export async function claimHolders(db: Db, bundleInstallIds: readonly string[]): Promise<ClaimHolder[]> {
  if (bundleInstallIds.length === 0) return []
  const rows = await db
    .selectFrom('runtime.operation')
    .select(['bundle_install_id', 'bundle_id', 'operation_id', 'operation_type', 'state'])
    .where('bundle_install_id', 'in', bundleInstallIds)
    .where('holds_claim', '=', true)
    .orderBy((row) => row.eb('state', '=', 'FAILED'))
    .orderBy('operation_id')
    .execute()
  return rows.map((row) => ({
    bundleInstallId: row.bundle_install_id,
    bundleId: row.bundle_id,
    operationId: row.operation_id,
    operationType: row.operation_type,
    state: row.state,
  }))
}
