import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { DomainError } from '../../engine/refusals.ts'
import { encodeCursor } from '../paging/cursor.ts'
import { cursorInteger, cursorUuid, cursorValues, pageOf } from '../paging/page.ts'
import { listOperations as listRows } from '../../store/operations/list-operations.ts'
import type { ListedOperation } from '../../store/operations/list-operations.ts'
import { SORTS } from '../../store/operations/filter-operations.ts'
import type { After } from '../../store/operations/filter-operations.ts'
import { atMoments } from './moments.ts'
import { operationView } from '../../engine/views.ts'

type Name = 'GET /operations'

/** Operations of every scope that the actor may see. */
export async function listOperations(
  { deps, actor }: ReadContext,
  { query }: Input<Name>,
): Promise<Answer<Name>> {
  const after = readCursor(query)
  const { rows, readTo } = await listRows(deps.db, actor, atMoments(query, deps.clock), after)
  const isByEnd = SORTS[query.sort].by === 'finished_at'
  const cursorOf = ({ microseconds, operationId, hasEnded }: After) =>
    isByEnd ? [microseconds, operationId, hasEnded ? ENDED : OPEN] : [microseconds, operationId]
  const page = pageOf(rows, query.limit, {
    item: (row: ListedOperation) => operationView(row),
    valuesOf: ({ created_microseconds: created, finished_microseconds: finished, operation_id }) =>
      cursorOf({
        microseconds: isByEnd ? (finished ?? created) : created,
        operationId: operation_id,
        hasEnded: finished !== null,
      }),
  })
  if (page.nextCursor !== null || readTo === null) return page
  return {
    ...page,
    nextCursor: encodeCursor(cursorOf(readTo)),
    searchedTo: new Date(readTo.microseconds / 1000).toISOString(),
  }
}

/** The part of the list by end that a cursor is in. */
const ENDED = 'ended'
const OPEN = 'open'

function readCursor({ cursor, sort }: Input<Name>['query']): After | undefined {
  const isByEnd = SORTS[sort].by === 'finished_at'
  const values = cursorValues(cursor, isByEnd ? ['number', 'string', 'string'] : ['number', 'string'])
  if (values === null) return undefined
  const [microseconds, id, part] = values
  if (isByEnd && part !== ENDED && part !== OPEN)
    throw new DomainError('REQUEST_INVALID', platformMessage('cursorInvalid'))
  return {
    microseconds: cursorInteger(microseconds),
    operationId: cursorUuid(id),
    hasEnded: part !== OPEN,
  }
}
