import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { Uuid } from '#contract/protocol/keys.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { DomainError } from '../../engine/domain-error.ts'
import { decodeCursor, encodeCursor } from '../paging/cursor.ts'
import { listOperations as listRows } from '../../store/operations/list-operations.ts'
import type { After } from '../../store/operations/list-operations.ts'
import { atMoments } from './moments.ts'
import { operationView } from '../../engine/steps/operation-view.ts'

type Name = 'GET /operations'

/** Operations of every scope that the actor may see. */
export async function listOperations(
  { deps, actor }: ReadContext,
  { query }: Input<Name>,
): Promise<Answer<Name>> {
  const rows = await listRows(deps.db, actor, atMoments(query, deps.clock), readCursor(query.cursor))
  const page = rows.slice(0, query.limit)
  const last = page.at(-1)
  const hasMore = rows.length > page.length && last !== undefined
  return {
    items: page.map(operationView),
    nextCursor: hasMore ? encodeCursor([last.created_microseconds, last.operation_id]) : null,
  }
}

function readCursor(cursor: string | undefined): After | undefined {
  if (cursor === undefined) return undefined
  const [createdMicroseconds, id] = decodeCursor(cursor, ['number', 'string'])
  const operationId = Uuid.safeParse(id)
  if (
    typeof createdMicroseconds !== 'number' ||
    !Number.isSafeInteger(createdMicroseconds) ||
    !operationId.success
  )
    throw new DomainError('REQUEST_INVALID', platformMessage('cursorInvalid'))
  return { createdMicroseconds, operationId: operationId.data }
}
