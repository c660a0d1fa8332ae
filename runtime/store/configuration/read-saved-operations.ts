import { sql } from 'kysely'
import type { Db } from '../../model/db.ts'

/**
 * The CONFIGURE operations that saves started, by snapshot version. Only saves start them, both are written under the
 * lock of the scope, and the snapshot first: so they are those created until the next save.
 */
export async function readSavedOperations(
  db: Db,
  scopeId: number,
  snapshotVersions: readonly number[],
): Promise<ReadonlyMap<number, string[]>> {
  const { rows } = await sql<{ snapshot_version: number; operations: string[] }>`
    select snapshot.snapshot_version, array_agg(operation.operation_id::text order by operation.operation_id) as operations
    from runtime.snapshot
    join runtime.operation on operation.scope_id = snapshot.scope_id and operation.operation_type = 'CONFIGURE'
      and operation.created_at >= snapshot.saved_at
      and operation.created_at < coalesce(
        (select next.saved_at from runtime.snapshot as next
          where next.scope_id = snapshot.scope_id and next.snapshot_version > snapshot.snapshot_version
            and next.cause = 'SAVE'
          order by next.snapshot_version limit 1),
        'infinity')
    where snapshot.scope_id = ${scopeId} and snapshot.cause = 'SAVE'
      and snapshot.snapshot_version = any(${[...snapshotVersions]}::bigint[])
    group by snapshot.snapshot_version`.execute(db)
  return new Map(rows.map((row) => [row.snapshot_version, row.operations]))
}
