import { sql } from 'kysely'
import type { OperationState } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import { bucketOf } from '../buckets.ts'
import type { Bucket } from '../buckets.ts'
import { isVisible, visibleScopes } from '../visible-scopes.ts'
import { countCreated } from '../overview/summary.ts'
import { operationFilter } from './filter-operations.ts'
import type { OperationFilter } from './filter-operations.ts'
import { findChosen } from './list-operations.ts'
import { isFound } from './search.ts'
import type { Db } from '../../model/db.ts'

export interface Counted {
  since: string
  state: OperationState
  count: number
}

/**
 * Counts operations by state and by the UTC time bucket in which they were created, oldest bucket first.
 *
 * @param listed The filter of the list, which may reach further back: its search uses the words that these operations have.
 */
export async function countOperationRows(
  db: Db,
  actor: Actor,
  filter: OperationFilter & { since: string },
  { bucket, listed }: { bucket: Bucket; listed: OperationFilter },
): Promise<Counted[]> {
  const { since, until, environmentKey: _, applicationRuntimeId: __, workspaceId: ___, ...others } = filter
  const visible = await visibleScopes(db, actor, 'read', filter)
  const isPlain = Object.values(others).every((value) => value === undefined || value === '')
  // completed hours are already counted, for every scope
  if (isPlain && bucket !== 'minute' && visible.kind !== 'scopes')
    return countCreated(db, visible, { since, until: until ?? null, bucket })
  const found = await findChosen(db, actor, listed)
  const counted = await sql<Counted>`
    select ${bucketOf(bucket, 'operation.created_at')} as since, operation.state, count(*) as count
    from runtime.operation as operation
    where ${isVisible(visible, 'operation')} and ${operationFilter(filter)}
      ${found === null ? sql`` : sql`and ${isFound(found)}`}
    group by 1, 2
    order by 1, 2`.execute(db)
  return counted.rows
}

/**
 * Counts operations by state in each of several short times, which do not overlap. Every operation in them is read.
 *
 * @param times From a moment until before another, as ISO 8601.
 */
export async function countOperationsIn(
  db: Db,
  actor: Actor,
  filter: OperationFilter,
  times: readonly { from: string; to: string }[],
): Promise<Counted[]> {
  if (times.length === 0) return []
  const visible = await visibleScopes(db, actor, 'read', filter)
  const { rows } = await sql<Counted>`
    select given.from as since, operation.state, count(*) as count
    from unnest(${times.map(({ from }) => from)}::timestamptz[], ${times.map(({ to }) => to)}::timestamptz[]) as given ("from", "to")
      join runtime.operation as operation on operation.created_at >= given.from and operation.created_at < given.to
    where ${isVisible(visible, 'operation')} and ${operationFilter(filter)}
    group by 1, 2
    order by 1, 2`.execute(db)
  return rows
}
