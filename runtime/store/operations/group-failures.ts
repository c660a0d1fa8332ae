import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type * as z from 'zod'
import type { failureGroupEndpoints } from '#contract/runtime-api/failure-groups.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import type { OperationRow } from '../../model/operation.ts'
import { callAttempts, installationTitle } from './calls.ts'
import { instantAt } from '../instants.ts'
import { isVisible, visibleScopes } from '../visible-scopes.ts'
import type { ScopeFilter } from '../visible-scopes.ts'
import { operationFilter } from './filter-operations.ts'
import { findByText, isFound } from './search.ts'

export type FailureGroupQuery = z.output<(typeof failureGroupEndpoints)['GET /failure-groups']['query']>

/** A group, with its operation that failed last. */
export type FailureGroupRow = OperationRow & {
  failure_group: string
  call_attempts: number
  installation_title: string
  shape: string
  /** What the groups are ordered by: the operations that had failed when the first page was read. */
  ranked: number
  /** Now, in microseconds since 1970. */
  now: number
  operations: number
  scopes: number
  versions: string[]
  first_at: string
  last_at: string
}

/** The group that a page starts after. */
export interface AfterGroup {
  /** When the first page was read, in microseconds since 1970: what failed later does not change the order. */
  readAt: number
  /** The size of the group then. */
  ranked: number
  key: string
}

/**
 * The groups of the failed operations that the actor may see, the largest first. The pages after the first have the order of
 * its time, so no group is skipped because it has grown; one that has shrunk since may be returned again.
 */
export async function groupFailures(
  db: Db,
  actor: Actor,
  query: FailureGroupQuery,
  after: AfterGroup | undefined,
): Promise<FailureGroupRow[]> {
  const visible = await visibleScopes(db, actor, 'read', query)
  const found = query.q === undefined || query.q === '' ? null : await findByText(db, query.q)
  const { errorCode, ...filter } = query
  const condition = sql`operation.state = 'FAILED' and ${isVisible(visible, 'operation')}
    and ${operationFilter(filter)} ${found === null ? sql`` : sql`and ${isFound(found)}`}`
  const ranked =
    after === undefined
      ? sql`count(*)`
      : sql`count(*) filter (where finished_at <= ${instantAt(after.readAt)})`
  const start =
    after === undefined
      ? sql`true`
      : sql`${ranked} > 0 and (${ranked}, ${after.key}) < (${after.ranked}, failure_group)`
  const { rows } = await sql<FailureGroupRow>`
    with page as (
      select * from (
        select failure_group, count(*) as operations, ${ranked} as ranked, min(finished_at) as first_at, max(finished_at) as last_at,
          count(distinct scope_id) as scopes, (array_agg(distinct target_version))[1:10] as versions
        from runtime.operation as operation where ${condition}
        group by failure_group having ${start}
        -- the offset keeps the condition on the code outside: it is then checked for each group until the page is full
        order by ranked desc, failure_group offset 0
      ) as grouped
      where ${errorCode === undefined ? sql`true` : hasCode(errorCode)}
      order by ranked desc, failure_group limit ${query.limit + 1}
    )
    select operation.*, page.*, (extract(epoch from statement_timestamp()) * 1000000)::bigint as now, ${callAttempts()} as call_attempts,
      ${installationTitle()} as installation_title,
      runtime.failure_shape(operation.failure ->> 'message') as shape
    from page cross join lateral (
      select * from runtime.operation as operation
      where operation.failure_group = page.failure_group and ${condition}
      order by finished_at desc, operation_id desc limit 1
    ) as operation
    order by page.ranked desc, page.failure_group`.execute(db)
  return rows
}

/** The condition that a group has this code, which all its operations have: one look-up for each group. */
function hasCode(errorCode: string): RawBuilder<boolean> {
  return sql<boolean>`(
    select failure ->> 'errorCode' from runtime.operation
    where state = 'FAILED' and operation.failure_group = grouped.failure_group limit 1) = ${errorCode}`
}

export const HOURS = 24
const PLUGINS_MAX = 50

/**
 * How many operations of each plugin failed that were created in each of the last 24 hours, also those that were taken over
 * since. Hours are numbered from the oldest. Failures of the runtime itself have no plugin.
 */
export async function countFailuresByHour(
  db: Db,
  actor: Actor,
  filter: ScopeFilter,
): Promise<{ since: string; counts: { plugin_id: string | null; hour: number; count: number }[] }> {
  const visible = await visibleScopes(db, actor, 'read', filter)
  // read first, so that the planner knows how few operations are younger
  const { rows: times } = await sql<{ since: string }>`
    select date_trunc('hour', clock_timestamp(), 'UTC') - make_interval(hours => ${HOURS - 1}) as since`.execute(
    db,
  )
  const since = times[0]?.since ?? ''
  // the second condition on the state is redundant, but lets the planner use the small partial index
  const { rows } = await sql<{ plugin_id: string | null; hour: number; count: number }>`
    with counted as (
      select failure -> 'errorPath' ->> 1 as plugin_id,
        floor(extract(epoch from created_at - ${since}::timestamptz) / 3600)::int as hour, count(*) as count
      from runtime.operation as operation
      where state in ('FAILED', 'TAKEN_OVER') and state <> 'SUCCEEDED' and failure is not null
        and created_at >= ${since}::timestamptz and ${isVisible(visible, 'operation')}
      group by 1, 2
    ), plugin as (
      select plugin_id, sum(count) as total from counted group by 1 order by total desc, plugin_id limit ${PLUGINS_MAX}
    )
    select counted.* from plugin join counted on counted.plugin_id is not distinct from plugin.plugin_id
    order by plugin.total desc, counted.plugin_id, hour`.execute(db)
  return { since, counts: rows }
}
