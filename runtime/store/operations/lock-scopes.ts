import { sql } from 'kysely'
import type { Tx } from '../../model/db.ts'

/**
 * Returns the current snapshots of scopes, locked in the order of their ids. Every change of a configuration takes
 * this lock before any other. A scope that another session has locked is awaited, or with `skipLocked` left out.
 */
export async function lockScopes(
  tx: Tx,
  scopeIds: readonly number[],
  { skipLocked }: { skipLocked: boolean },
): Promise<Map<number, number>> {
  if (scopeIds.length === 0) return new Map()
  const found = await sql<{ scope_id: number; snapshot_version: number }>`
    select scope_id, snapshot_version
    from runtime.scope
    where scope_id = any(${[...scopeIds]}::bigint[])
    order by scope_id
    for update ${skipLocked ? sql`skip locked` : sql``}`.execute(tx)
  return new Map(found.rows.map((row) => [row.scope_id, row.snapshot_version]))
}
