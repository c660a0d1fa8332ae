import { sql } from 'kysely'
import type { Db, Tx } from '../../model/db.ts'
import { COMPARISON_WINDOW } from './insert-comparisons.ts'
import type { ComparisonRow } from './insert-comparisons.ts'

/** Deletes comparisons of a person that turned out to be writes. */
export async function deleteComparisons(
  tx: Tx,
  { actorId, scopeId }: { actorId: string; scopeId: number },
  rows: readonly ComparisonRow[],
): Promise<void> {
  if (rows.length === 0) return
  await sql`
    delete from runtime.comparison
    where actor_id = ${actorId} and scope_id = ${scopeId}
      and digest = any(${rows.map(({ digest }) => digest)}::bytea[])`.execute(tx)
}

/** Deletes comparisons that no longer count. Returns the number of deleted ones, at most `limit`. */
export async function pruneComparisons(db: Db, limit: number): Promise<number> {
  const result = await sql`
    delete from runtime.comparison where ctid = any(array(
      select ctid from runtime.comparison
      where compared_at <= clock_timestamp() - ${COMPARISON_WINDOW}
      order by compared_at
      limit ${limit}
      for update skip locked
    ))`.execute(db)
  return Number(result.numAffectedRows ?? 0)
}
