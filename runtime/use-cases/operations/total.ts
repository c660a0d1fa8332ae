import { OPERATIONS_TOTAL_MAX } from '#contract/runtime-api/vocabulary.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { countMatching } from '../../store/operations/list-operations.ts'
import { atMoments } from './moments.ts'

type Name = 'GET /operations/total'

/** How many operations match the filters, of those that the actor may see. */
export async function readTotal({ deps, actor }: ReadContext, { query }: Input<Name>): Promise<Answer<Name>> {
  const { count, isPartial } = await countMatching(
    deps.db,
    actor,
    atMoments(query, deps.clock),
    OPERATIONS_TOTAL_MAX + 1,
  )
  return { total: Math.min(count, OPERATIONS_TOTAL_MAX), isMore: isPartial || count > OPERATIONS_TOTAL_MAX }
}
