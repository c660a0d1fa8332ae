import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { RuntimeTables } from '../../model/tables.ts'
import type { SnapshotFilter } from './list-snapshots.ts'
import type { Db } from '../../model/db.ts'

export type SnapshotChangeRow = Selectable<RuntimeTables['runtime.snapshot_change']>

/** The changes of the given snapshots of a scope, optionally filtered. */
export function readSnapshotChanges(
  db: Db,
  scopeId: number,
  snapshotVersions: readonly number[],
  { locator, property }: SnapshotFilter = {},
): Promise<SnapshotChangeRow[]> {
  let query = db
    .selectFrom('runtime.snapshot_change')
    .selectAll()
    .where('scope_id', '=', scopeId)
    .where('snapshot_version', '=', sql<number>`any(${[...snapshotVersions]}::bigint[])`)
    .orderBy('locator')
    .orderBy('property')
  if (locator !== undefined) query = query.where('locator', '=', locator)
  if (property !== undefined) query = query.where('property', '=', property)
  return query.execute()
}
