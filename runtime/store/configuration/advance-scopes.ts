import { sql } from 'kysely'
import type { Person } from '#contract/runtime-api/common.ts'
import type { Tx } from '../../model/db.ts'

export interface ScopeToAdvance {
  scopeId: number
  /** The snapshot that the scope must be at. */
  from: number
  /** The number of snapshots to advance by. */
  by: number
  /** The person who made the last of them. */
  savedBy: Person
}

/**
 * Advances locked scopes from the given snapshots. Returns the times by scope. Throws if a scope is not at its
 * snapshot.
 */
export async function advanceScopes(tx: Tx, scopes: readonly ScopeToAdvance[]): Promise<Map<number, string>> {
  const advanced = await sql<{ scope_id: number; saved_at: string }>`
    update runtime.scope
    set snapshot_version = snapshot_version + moving.by, saved_at = clock_timestamp(),
      saved_by_id = moving.saved_by_id, saved_by_name = moving.saved_by_name
    from unnest(
      ${scopes.map(({ scopeId }) => scopeId)}::bigint[],
      ${scopes.map(({ from }) => from)}::bigint[],
      ${scopes.map(({ by }) => by)}::integer[],
      ${scopes.map(({ savedBy }) => savedBy.id)}::text[],
      ${scopes.map(({ savedBy }) => savedBy.name)}::text[])
      as moving (scope_id, at, by, saved_by_id, saved_by_name)
    where scope.scope_id = moving.scope_id and scope.snapshot_version = moving.at
    returning scope.scope_id, scope.saved_at`.execute(tx)
  if (advanced.rows.length !== scopes.length) throw new Error('a locked scope changed its snapshot')
  return new Map(advanced.rows.map((row) => [row.scope_id, row.saved_at]))
}
