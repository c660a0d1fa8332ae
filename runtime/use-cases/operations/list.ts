import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { Uuid } from '#contract/protocol/keys.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { DomainError } from '../../engine/domain-error.ts'
import { cursorInteger, cursorValues, pageOf } from '../paging/page.ts'
import { listOperations as listRows, SORTS } from '../../store/operations/list-operations.ts'
import type { After, ListedOperation } from '../../store/operations/list-operations.ts'
import { atMoments } from './moments.ts'
import { operationView } from '../../engine/steps/operation-view.ts'

type Name = 'GET /operations'

/** Operations of every scope that the actor may see. */
export async function listOperations(
  { deps, actor }: ReadContext,
  { query }: Input<Name>,
): Promise<Answer<Name>> {
  const after = readCursor(query)
  const rows = await listRows(deps.db, actor, atMoments(query, deps.clock), after)
  return pageOf(rows, query.limit, {
    item: (row: ListedOperation) => operationView(row),
    valuesOf: ({ created_microseconds, finished_microseconds, operation_id }) =>
      SORTS[query.sort].by === 'created_at'
        ? [created_microseconds, operation_id]
        : [
            finished_microseconds ?? created_microseconds,
            operation_id,
            finished_microseconds === null ? OPEN : ENDED,
          ],
  })
}

/** The part of the list by end that a cursor is in. */
const ENDED = 'ended'
const OPEN = 'open'

function readCursor({ cursor, sort }: Input<Name>['query']): After | undefined {
  const isByEnd = SORTS[sort].by === 'finished_at'
  const values = cursorValues(cursor, isByEnd ? ['number', 'string', 'string'] : ['number', 'string'])
  if (values === null) return undefined
  const [microseconds, id, part] = values
  const operationId = Uuid.safeParse(id)
  if (!operationId.success || (isByEnd && part !== ENDED && part !== OPEN))
    throw new DomainError('REQUEST_INVALID', platformMessage('cursorInvalid'))
  return {
    microseconds: cursorInteger(microseconds),
    operationId: operationId.data,
    hasEnded: part !== OPEN,
  }
}
