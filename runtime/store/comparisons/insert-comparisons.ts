import { sql } from 'kysely'
import type { Tx } from '../../model/db.ts'

/** A comparison of one person, by the digest of both values. */
export interface ComparisonRow {
  locator: string
  property: string
  digest: Buffer
}

/** How long a comparison counts. The same comparison within this time is the same one. */
export const COMPARISON_WINDOW = sql.raw(`interval '1 hour'`)

/**
 * Stores the comparisons that are not stored yet, and returns those. The person's other transactions that compare wait
 * until this one ends, so that a count after this is exact.
 */
export async function insertComparisons(
  tx: Tx,
  { actorId, scopeId }: { actorId: string; scopeId: number },
  rows: readonly ComparisonRow[],
): Promise<ComparisonRow[]> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`bundle-console comparisons ${actorId}`}, 0))`.execute(
    tx,
  )
  const { rows: inserted } = await sql<ComparisonRow>`
    insert into runtime.comparison as kept (actor_id, scope_id, locator, property, digest)
    select ${actorId}, ${scopeId}, given.locator, given.property, given.digest
    from unnest(
      ${rows.map(({ locator }) => locator)}::text[],
      ${rows.map(({ property }) => property)}::text[],
      ${rows.map(({ digest }) => digest)}::bytea[]
    ) as given (locator, property, digest)
    on conflict (actor_id, scope_id, locator, property, digest) do update set compared_at = excluded.compared_at
      where kept.compared_at <= clock_timestamp() - ${COMPARISON_WINDOW}
    returning locator, property, digest`.execute(tx)
  return inserted
}
