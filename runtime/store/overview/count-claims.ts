import type { OperationState } from '#contract/runtime-api/vocabulary.ts'
import type { Db } from '../../model/db.ts'

/** How many operations hold a claim, by state; costs what there is of open work, however long the history is. */
export function countClaims(db: Db): Promise<{ state: OperationState; count: number }[]> {
  return db
    .selectFrom('runtime.operation')
    .select(['state', (row) => row.fn.countAll<number>().as('count')])
    .where('holds_claim', '=', true)
    .groupBy('state')
    .execute()
}
