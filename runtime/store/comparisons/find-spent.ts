import { sql } from 'kysely'
import type { Db } from '../../model/db.ts'
import { COMPARISON_WINDOW } from './insert-comparisons.ts'

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
      extract(epoch from min(compared_at) + ${COMPARISON_WINDOW} - clock_timestamp())::float8 as seconds
    from runtime.comparison
    where actor_id = ${actorId} and scope_id = ${scopeId}
      and (locator, property) in (
        select * from unnest(
          ${properties.map(({ locator }) => locator)}::text[],
          ${properties.map(({ property }) => property)}::text[]
        )
      )
      and compared_at > clock_timestamp() - ${COMPARISON_WINDOW}
    group by locator, property
    having count(*) > ${limit}
    order by locator, property`.execute(db)
  return rows
}
