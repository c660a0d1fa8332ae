import { sql } from 'kysely'
import type { StoredValue } from '../../model/stored-value.ts'
import type { Db } from '../../model/db.ts'

/** For each property that changed after a snapshot, returns its value at the snapshot. */
export async function readLaterChanges(
  db: Db,
  scopeId: number,
  snapshotVersion: number,
): Promise<{ locator: string; property: string; before: StoredValue | null }[]> {
  const { rows } = await sql<{ locator: string; property: string; before: StoredValue | null }>`
    select distinct on (locator, property) locator, property, before
    from runtime.snapshot_change
    where scope_id = ${scopeId} and snapshot_version > ${snapshotVersion}
    order by locator, property, snapshot_version`.execute(db)
  return rows
}
