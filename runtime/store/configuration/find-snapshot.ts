import type { SnapshotRow } from './list-snapshots.ts'
import type { Db } from '../../model/db.ts'

export function findSnapshot(
  db: Db,
  scopeId: number,
  snapshotVersion: number,
): Promise<SnapshotRow | undefined> {
  return db
    .selectFrom('runtime.snapshot')
    .selectAll()
    .where('scope_id', '=', scopeId)
    .where('snapshot_version', '=', snapshotVersion)
    .executeTakeFirst()
}
