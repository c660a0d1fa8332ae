import { sql } from 'kysely'
import type { Db, Tx } from '../model/db.ts'
import { pruneOlder } from './prune.ts'

/** A comparison of one person, by the digest of both values. */
interface ComparisonRow {
  locator: string
  property: string
  digest: Buffer
}

/** How long a comparison counts. The same comparison within this time is the same one. */
const AGE = '1 hour'
const WINDOW = sql.raw(`interval '${AGE}'`)

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
      where kept.compared_at <= clock_timestamp() - ${WINDOW}
    returning locator, property, digest`.execute(tx)
  return inserted
}

/** A property that one person has compared too often, and the seconds until the oldest comparison no longer counts. */
export interface SpentProperty {
  locator: string
  property: string
  seconds: number
}

/** Of these properties, those with more than `limit` comparisons of the person that count. */
export async function findSpent(
  db: Db,
  { actorId, scopeId, limit }: { actorId: string; scopeId: number; limit: number },
  properties: readonly { locator: string; property: string }[],
): Promise<SpentProperty[]> {
  const { rows } = await sql<SpentProperty>`
    select locator, property,
      extract(epoch from min(compared_at) + ${WINDOW} - clock_timestamp())::float8 as seconds
    from runtime.comparison
    where actor_id = ${actorId} and scope_id = ${scopeId}
      and (locator, property) in (
        select * from unnest(
          ${properties.map(({ locator }) => locator)}::text[],
          ${properties.map(({ property }) => property)}::text[]
        )
      )
      and compared_at > clock_timestamp() - ${WINDOW}
    group by locator, property
    having count(*) > ${limit}
    order by locator, property`.execute(db)
  return rows
}

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
export const pruneComparisons = (db: Db, limit: number): Promise<number> =>
  pruneOlder(db, { table: 'runtime.comparison', column: 'compared_at', age: AGE }, limit)
