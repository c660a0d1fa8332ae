import { sql } from 'kysely'
import type { Actor } from '../../actor.ts'
import type { OperationRow } from '../../operations/view.ts'
import type { Db } from '../../world.ts'
import { instantAt, microsecondsOf } from '../instants.ts'
import { operationFilter } from './filter-operations.ts'
import type { OperationQuery } from './filter-operations.ts'

/** Where a page begins: after the operation that was made at this microsecond and has this id. */
export interface After {
  createdMicroseconds: number
  operationId: string
}

export type ListedOperation = OperationRow & { created_microseconds: number }

/** Operations that the actor may see; one row more than `limit` where there is a next page. */
export function listOperations(
  db: Db,
  actor: Actor,
  query: OperationQuery,
  after: After | undefined,
): Promise<ListedOperation[]> {
  const direction = query.sort === '-createdAt' ? 'desc' : 'asc'
  const beyond = direction === 'desc' ? sql`<` : sql`>`
  let rows = db
    .selectFrom('runtime.operation as operation')
    .selectAll('operation')
    .select(microsecondsOf('operation.created_at').as('created_microseconds'))
    .where(operationFilter(actor, query))
    .orderBy('operation.created_at', direction)
    .orderBy('operation.operation_id', direction)
    .limit(query.limit + 1)
  if (after !== undefined)
    rows = rows.where(
      sql<boolean>`(operation.created_at, operation.operation_id)
        ${beyond} (${instantAt(after.createdMicroseconds)}, ${after.operationId}::uuid)`,
    )
  return rows.execute()
}
