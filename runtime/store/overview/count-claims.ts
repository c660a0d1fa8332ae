import type { OperationState } from '#contract/runtime-api/vocabulary.ts'
import type { Db } from '../../model/db.ts'

/** Counts the operations that hold a claim, by state. The cost grows with the open work, not with the history. */
export function countClaims(db: Db): Promise<{ state: OperationState; count: number }[]> {
  return db
    .selectFrom('runtime.operation')
    .select(['state', (row) => row.fn.countAll<number>().as('count')])
    .where('holds_claim', '=', true)
    .groupBy('state')
    .execute()
}
