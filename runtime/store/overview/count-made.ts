import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
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
  const span = await readSpan(db, since, until)
  const { rows } = await sql<{ since: string; state: OperationState; count: number }>`
    with made as (
      select ${truncated('hour')} as since, total as count
      from runtime.operation_total as total
      where hour >= ${span.firstHour} and hour < ${span.lastHour} and ${isVisible(visible, 'total')}
      union all
      select ${truncated('operation.created_at')}, count(*)
      from runtime.operation as operation
      where operation.created_at >= ${span.since} and operation.created_at < least(${span.firstHour}, ${span.until})
        and ${isVisible(visible, 'operation')}
      group by 1
      union all
      select ${truncated('operation.created_at')}, count(*)
      from runtime.operation as operation
      where operation.created_at >= greatest(${span.firstHour}, ${span.lastHour}) and operation.created_at < ${span.until}
        and ${isVisible(visible, 'operation')}
      group by 1
    ), unwell as (
      select ${truncated('operation.created_at')} as since, operation.state, count(*) as count
      from runtime.operation as operation
      where operation.created_at >= ${span.since} and operation.created_at < ${span.until}
        and operation.state <> 'SUCCEEDED' and ${isVisible(visible, 'operation')}
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

/** The limits of the counts, each as a parameter of type timestamptz. `firstHour` to `lastHour` are completed hours with totals. */
interface Span {
  since: RawBuilder<string>
  until: RawBuilder<string>
  firstHour: RawBuilder<string>
  lastHour: RawBuilder<string>
}

/** Read first, so that the planner knows how few operations there are outside the completed hours. */
async function readSpan(db: Db, since: string, until: string | null): Promise<Span> {
  const { rows } = await sql<Record<keyof Span, string>>`
    select since::text, until::text,
      date_trunc('hour', since + interval '1 hour' - interval '1 microsecond', 'UTC')::text as "firstHour",
      least(date_trunc('hour', until, 'UTC'), counted_until)::text as "lastHour"
    from runtime.operation_counted,
      (select ${since}::timestamptz as since, coalesce(${until}::timestamptz, 'infinity') as until) as given`.execute(
    db,
  )
  const [span] = rows
  if (span === undefined) throw new TypeError('operation_counted has no row')
  const instant = (text: string) => sql<string>`${text}::timestamptz`
  return {
    since: instant(span.since),
    until: instant(span.until),
    firstHour: instant(span.firstHour),
    lastHour: instant(span.lastHour),
  }
}
