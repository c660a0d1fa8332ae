import type { Selectable, SqlBool } from 'kysely'
import type { RuntimeTables } from '../../model/tables.ts'
import type { Db } from '../../model/db.ts'

export type SnapshotRow = Selectable<RuntimeTables['runtime.snapshot']>

export interface SnapshotFilter {
  locator?: string | undefined
  property?: string | undefined
  savedBy?: string | undefined
  since?: string | undefined
  until?: string | undefined
}

/**
 * The snapshots of a scope below `before`, newest first. A filter keeps those that changed a matching property.
 * `is_stored` is false if retention has removed the operation that wrote the snapshot.
 */
export function listSnapshots(
  db: Db,
  scopeId: number,
  {
    locator,
    property,
    savedBy,
    since,
    until,
    before,
    limit,
  }: SnapshotFilter & { before?: number | undefined; limit: number },
): Promise<(SnapshotRow & { is_stored: SqlBool })[]> {
  let query = db
    .selectFrom('runtime.snapshot as snapshot')
    .selectAll('snapshot')
    .select((eb) =>
      eb
        .or([
          eb('snapshot.operation_id', 'is', null),
          eb.exists(
            eb
              .selectFrom('runtime.operation as operation')
              .select('operation.operation_id')
              .whereRef('operation.operation_id', '=', 'snapshot.operation_id'),
          ),
        ])
        .as('is_stored'),
    )
    .where('snapshot.scope_id', '=', scopeId)
    .orderBy('snapshot.snapshot_version', 'desc')
    .limit(limit)
  if (before !== undefined) query = query.where('snapshot.snapshot_version', '<', before)
  if (savedBy !== undefined) query = query.where('snapshot.saved_by_id', '=', savedBy)
  if (since !== undefined) query = query.where('snapshot.saved_at', '>=', since)
  if (until !== undefined) query = query.where('snapshot.saved_at', '<', until)
  if (locator !== undefined || property !== undefined) {
    query = query.where((eb) => {
      let change = eb
        .selectFrom('runtime.snapshot_change as change')
        .select('change.property')
        .whereRef('change.scope_id', '=', 'snapshot.scope_id')
        .whereRef('change.snapshot_version', '=', 'snapshot.snapshot_version')
      if (locator !== undefined) change = change.where('change.locator', '=', locator)
      if (property !== undefined) change = change.where('change.property', '=', property)
      return eb.exists(change)
    })
  }
  return query.execute()
}
