import type { Person } from '#contract/runtime-api/common.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import type { Tx } from '../../model/db.ts'

export interface NewSnapshot {
  scopeId: number
  snapshotVersion: number
  savedAt: string
  savedBy: Person
  reason: string | null
  cause: RuntimeTables['runtime.snapshot']['cause']
  /** The operation whose success created the snapshot. */
  operationId: string | null
}

export async function insertSnapshots(tx: Tx, snapshots: readonly NewSnapshot[]): Promise<void> {
  const rows = snapshots.map((snapshot) => ({
    scope_id: snapshot.scopeId,
    snapshot_version: snapshot.snapshotVersion,
    saved_at: snapshot.savedAt,
    saved_by_id: snapshot.savedBy.id,
    saved_by_name: snapshot.savedBy.name,
    reason: snapshot.reason,
    cause: snapshot.cause,
    operation_id: snapshot.operationId,
  }))
  await tx.insertInto('runtime.snapshot').values(rows).execute()
}
