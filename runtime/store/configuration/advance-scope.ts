import { sql } from 'kysely'
import type { Person } from '#contract/runtime-api/common.ts'
import type { Tx } from '../../model/db.ts'

/**
 * Advances a scope from the given snapshot to the next one. Returns the new version and its time, or undefined if the
 * scope is no longer at that snapshot.
 */
export function advanceScope(
  tx: Tx,
  scopeId: number,
  from: number,
  savedBy: Person,
): Promise<{ snapshot_version: number; saved_at: string } | undefined> {
  return tx
    .updateTable('runtime.scope')
    .set({
      snapshot_version: sql<number>`snapshot_version + 1`,
      saved_at: sql<string>`clock_timestamp()`,
      saved_by_id: savedBy.id,
      saved_by_name: savedBy.name,
    })
    .where('scope_id', '=', scopeId)
    .where('snapshot_version', '=', from)
    .returning(['snapshot_version', 'saved_at'])
    .executeTakeFirst()
}
