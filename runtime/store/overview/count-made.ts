import { sql } from 'kysely'
import type { OperationState } from '#contract/runtime-api/vocabulary.ts'
import { bucketOf } from '../buckets.ts'
import { isVisible } from '../visible-scopes.ts'
import type { VisibleScopes } from '../visible-scopes.ts'
import type { Db } from '../../model/db.ts'

/**
 * Counts operations by state and bucket, filtered by scope and time only. Completed hours have stored totals: the few
 * operations that did not succeed come from their own index, and the rest succeeded.
 */
export async function countMade(
  db: Db,
  visible: VisibleScopes & { kind: 'everything' | 'environments' },
  { since, until, bucket }: { since: string; until: string | null; bucket: 'hour' | 'day' | 'all' },
): Promise<{ since: string; state: OperationState; count: number }[]> {
  const truncated = (column: string) =>
    bucket === 'all' ? sql`'epoch'::timestamptz` : bucketOf(bucket, column)
  const { rows } = await sql<{ since: string; state: OperationState; count: number }>`
    with span as (
      select *, date_trunc('hour', since + interval '1 hour' - interval '1 microsecond', 'UTC') as first_hour,
        least(date_trunc('hour', until, 'UTC'), counted_until) as last_hour
      from (
        select ${since}::timestamptz as since, coalesce(${until}::timestamptz, 'infinity') as until, counted_until
        from runtime.operation_counted
      ) as asked
    ), made as (
      select ${truncated('hour')} as since, total as count
      from span join runtime.operation_total as total on hour >= first_hour and hour < last_hour
      where ${isVisible(visible, 'total')}
      union all
      select ${truncated('operation.created_at')}, count(*)
      from span join runtime.operation as operation
        on operation.created_at >= span.since and operation.created_at < least(span.first_hour, span.until)
      where ${isVisible(visible, 'operation')}
      group by 1
      union all
      select ${truncated('operation.created_at')}, count(*)
      from span join runtime.operation as operation
        on operation.created_at >= greatest(span.first_hour, span.last_hour) and operation.created_at < span.until
      where ${isVisible(visible, 'operation')}
      group by 1
    ), unwell as (
      select ${truncated('operation.created_at')} as since, operation.state, count(*) as count
      from span join runtime.operation as operation
        on operation.created_at >= span.since and operation.created_at < span.until
      where operation.state <> 'SUCCEEDED' and ${isVisible(visible, 'operation')}
      group by 1, 2
    )
    select since, state, count from unwell
    union all
    select since, 'SUCCEEDED', sum(count)::bigint from (
      select since, count from made union all select since, -count from unwell
    ) as balance group by since having sum(count) > 0
    order by 1, 2`.execute(db)
  return rows
}
