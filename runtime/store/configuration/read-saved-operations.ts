import { sql } from 'kysely'
import type { Db } from '../../model/db.ts'

/** The CONFIGURE operations of one save. */
export interface SavedOperations {
  /** The ids of those that are stored, in the order of their creation. */
  operations: string[]
  /** How many the save started: one for each bundle that it changed. */
  started: number
}

/**
 * The CONFIGURE operations that saves started, by snapshot version. Only saves start them, both are written under the
 * lock of the scope, and the snapshot first: so they are those created until the next save.
 */
export async function readSavedOperations(
  db: Db,
  scopeId: number,
  snapshotVersions: readonly number[],
): Promise<ReadonlyMap<number, SavedOperations>> {
  const { rows } = await sql<SavedOperations & { snapshot_version: number }>`
    select snapshot.snapshot_version,
      array(
        select operation.operation_id::text from runtime.operation
        where operation.scope_id = snapshot.scope_id and operation.operation_type = 'CONFIGURE'
          and operation.created_at >= snapshot.saved_at
          and operation.created_at < coalesce(
            (select next.saved_at from runtime.snapshot as next
              where next.scope_id = snapshot.scope_id and next.snapshot_version > snapshot.snapshot_version
                and next.cause = 'SAVE'
              order by next.snapshot_version limit 1),
            'infinity')
        order by operation.operation_id) as operations,
      -- a locator begins with its bundle
      (select count(distinct (split_part(change.locator, '/', 1), split_part(change.locator, '/', 2)))
        from runtime.snapshot_change as change
        where change.scope_id = snapshot.scope_id and change.snapshot_version = snapshot.snapshot_version
      )::integer as started
    from runtime.snapshot
    where snapshot.scope_id = ${scopeId} and snapshot.cause = 'SAVE'
      and snapshot.snapshot_version = any(${[...snapshotVersions]}::bigint[])`.execute(db)
  return new Map(rows.map(({ snapshot_version, ...saved }) => [snapshot_version, saved]))
}
