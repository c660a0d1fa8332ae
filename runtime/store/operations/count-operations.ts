import { sql } from 'kysely'
import type { OperationState } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../actor.ts'
import type { Db } from '../../world.ts'
import { operationFilter } from './filter-operations.ts'
import type { OperationFilter } from './filter-operations.ts'

export type Bucket = 'minute' | 'hour' | 'day'

/** Operations by state and by the bucket of UTC time in which they were made, oldest bucket first. */
export async function countOperations(
  db: Db,
  actor: Actor,
  filter: OperationFilter,
  bucket: Bucket,
): Promise<{ since: string; state: OperationState; count: number }[]> {
  const counted = await sql<{ since: string; state: OperationState; count: number }>`
    select date_trunc(${bucket}, operation.created_at, 'UTC') as since, operation.state, count(*) as count
    from runtime.operation as operation
    where ${operationFilter(actor, filter)}
    group by 1, 2
    order by 1, 2`.execute(db)
  return counted.rows
}
