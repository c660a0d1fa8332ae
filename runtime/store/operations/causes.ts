import { sql } from 'kysely'
import type { RawBuilder, Selectable } from 'kysely'
import type * as z from 'zod'
import type { causeEndpoints } from '#contract/runtime-api/causes.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import { FAILING_PLUGINS_MAX } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db, Tx } from '../../model/db.ts'
import type { OperationRow } from '../../model/operation.ts'
import type { CauseNoteTable, CauseTable } from '../../model/cause-tables.ts'
import { callAttempts, installationTitle, obstacleOf } from './calls.ts'
import { instantAt, microsecondsOf } from '../instants.ts'
import { isVisible, visibleScopes } from '../visible-scopes.ts'
import type { ScopeFilter, VisibleScopes } from '../visible-scopes.ts'
import { operationFilter } from './filter-operations.ts'
import { findChosen } from './list-operations.ts'
import { isFound } from './search.ts'

export type CauseQuery = z.output<(typeof causeEndpoints)['GET /causes']['query']>

/** The row of a cause. */
export type CauseColumns = Selectable<CauseTable>

/** The counts of a cause, limited to what the actor may see. */
interface Counted {
  /** The messages of the operations that failed last, the newest first. */
  messages: string[]
  operations: number
  scopes: number
  bundles: number
  first_at: string
  last_at: string
}

export type CauseRow = CauseColumns & Counted & { latest: LatestOperation | null }

type LatestOperation = OperationRow & { call_attempts: number; installation_title: string }

/** The cause that a page starts after. */
export interface AfterCause {
  /** When the first page was read, in microseconds since 1970: what failed later does not change the order. */
  readAt: number
  /** The operations then, and when the last of them had failed, in microseconds since 1970. */
  ranked: number
  lastRanked: number
  causeId: string
}

/** A page of causes. */
export interface CausePage {
  /** One more than fits, if there is a next page. */
  rows: (CauseRow & { ranked: number; last_ranked: number; now: number })[]
  /** How many there are; only on the first page. */
  total: number | null
}

/** The newest failures that a title is made of. */
const MESSAGES_MAX = 30

/**
 * The causes of the failed operations that the actor may see, the largest first, among equals the newest. The pages after the
 * first have the order of its time, so no cause is skipped because it has grown; one that has shrunk since may be returned again.
 */
export async function listPresentCauses(
  db: Db,
  actor: Actor,
  query: CauseQuery,
  after: AfterCause | undefined,
): Promise<CausePage> {
  const visible = await visibleScopes(db, actor, 'read', query)
  const { errorCode: _, state: __, ...filter } = query
  const found = await findChosen(db, actor, { ...filter, state: ['FAILED'] })
  const condition = sql`operation.state = 'FAILED' and operation.cause_id is not null and ${isVisible(visible, 'operation')}
    and ${operationFilter(filter)} ${found === null ? sql`` : sql`and ${isFound(found)}`}`
  // the first page needs no other order than that of now, and 100,000 rows are aggregated
  const then = after === undefined ? null : sql`finished_at <= ${instantAt(after.readAt)}`
  const [ofScope, ranked, lastRanked] =
    then === null
      ? [sql``, sql`sum(operations)`, sql`max(last_at)`]
      : [
          sql`, count(*) filter (where ${then}) as ranked, max(finished_at) filter (where ${then}) as last_ranked`,
          sql`sum(ranked)`,
          sql`max(last_ranked)`,
        ]
  const start =
    after === undefined
      ? sql`true`
      : sql`${ranked} > 0 and (${ranked}, ${lastRanked}, cause_id)
          < (${after.ranked}, ${instantAt(after.lastRanked)}, ${after.causeId})`
  const { rows } = await sql<CausePage['rows'][number] & { latest: string; total: number }>`
    with page as (
      select *, count(*) over () as total from (
        select cause_id, sum(operations)::bigint as operations, ${ranked}::bigint as ranked, ${lastRanked} as last_ranked,
          min(first_at) as first_at, max(last_at) as last_at, count(*) as scopes
        from (
          select cause_id, scope_id, count(*) as operations, min(finished_at) as first_at, max(finished_at) as last_at ${ofScope}
          from runtime.operation as operation where ${condition}
          group by cause_id, scope_id
        ) as in_scope
        group by cause_id having ${start}
      ) as grouped
      where ${hasCause(query, sql`grouped.cause_id`)}
      order by ranked desc, last_ranked desc, cause_id desc limit ${query.limit + 1}
    )
    select cause.*, page.operations, page.scopes, page.first_at, page.last_at, page.total, page.ranked,
      ${microsecondsOf('page.last_ranked')} as last_ranked,
      (extract(epoch from statement_timestamp()) * 1000000)::bigint as now,
      ${membersOf(sql`page.cause_id`, condition)}
    from page join runtime.cause as cause using (cause_id)
    order by page.ranked desc, page.last_ranked desc, page.cause_id desc`.execute(db)
  const latest = await readLatest(db, rows)
  return {
    rows: rows.map((row) => ({ ...row, latest: latest.get(row.latest) ?? null })),
    total: after === undefined ? (rows[0]?.total ?? 0) : null,
  }
}

/** Of the members of a cause: how many bundles they have, the newest messages, and which of them failed last. */
function membersOf(causeId: RawBuilder<unknown>, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  const members = sql`runtime.operation as operation where operation.cause_id = ${causeId} and ${condition}`
  return sql`
    (select count(*) from (select from ${members} group by bundle_environment_key, bundle_id) as bundle) as bundles,
    (select coalesce(json_agg(failure ->> 'message'), '[]') from (
      select failure from ${members} order by finished_at desc, operation_id desc limit ${MESSAGES_MAX}) as newest) as messages,
    (select operation_id from ${members} order by finished_at desc, operation_id desc limit 1) as latest`
}

/** The condition on the cause itself. */
function hasCause(
  { errorCode, state, takenBy }: Pick<CauseQuery, 'errorCode' | 'state' | 'takenBy'>,
  causeId: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const conditions: RawBuilder<unknown>[] = []
  if (errorCode !== undefined) conditions.push(sql`cause.error_code = ${errorCode}`)
  if (state !== undefined) conditions.push(sql`cause.state = any(${[...state]}::text[])`)
  if (takenBy !== undefined) conditions.push(sql`cause.assignee_id = ${takenBy}`)
  return conditions.length === 0
    ? sql`true`
    : sql`exists (select from runtime.cause as cause where cause.cause_id = ${causeId} and ${sql.join(conditions, sql` and `)})`
}

async function readLatest(
  db: Db,
  rows: readonly { latest: string | null }[],
): Promise<Map<string, LatestOperation>> {
  const ids = rows.flatMap(({ latest }) => latest ?? [])
  if (ids.length === 0) return new Map()
  const { rows: operations } = await sql<LatestOperation>`
    select operation.*, ${callAttempts()} as call_attempts, ${installationTitle()} as installation_title,
      ${obstacleOf('operation')} as obstacle
    from runtime.operation as operation where operation_id = any(${ids}::uuid[])`.execute(db)
  return new Map(operations.map((operation) => [operation.operation_id, operation]))
}

/**
 * The causes with which no operation is failed any more that the actor may see, and that had failures which the actor may see:
 * the last failure first.
 */
export async function listPastCauses(
  db: Db,
  actor: Actor,
  query: CauseQuery,
  after: Pick<AfterCause, 'lastRanked' | 'causeId'> | undefined,
): Promise<CausePage> {
  const visible = await visibleScopes(db, actor, 'read', query)
  const start =
    after === undefined
      ? sql`true`
      : sql`(seen.last_at, gone.cause_id) < (${instantAt(after.lastRanked)}, ${after.causeId})`
  const { rows } = await sql<CausePage['rows'][number] & { total: number }>`
    with gone as (
      select cause_id from runtime.cause as cause
      where ${hasCause(query, sql`cause.cause_id`)} and not exists (
        select from runtime.operation as operation
        where operation.cause_id = cause.cause_id and operation.state = 'FAILED' and ${isVisible(visible, 'operation')})
      -- the failures of the others are not read
      offset 0
    ), page as (
      select gone.cause_id, seen.*, count(*) over () as total from gone cross join lateral (
        select count(distinct scope_id) as scopes, min(failed_at) as first_at, max(failed_at) as last_at
        from runtime.cause_failure as failed
        where failed.cause_id = gone.cause_id and ${isVisible(visible, 'failed')}) as seen
      where seen.last_at is not null and ${start}
      order by seen.last_at desc, gone.cause_id desc limit ${query.limit + 1}
    )
    select cause.*, 0 as operations, page.scopes, 0 as bundles, page.first_at, page.last_at, page.total, '[]'::json as messages,
      0 as ranked, ${microsecondsOf('page.last_at')} as last_ranked, 0 as now, null as latest
    from page join runtime.cause as cause using (cause_id)
    order by page.last_at desc, page.cause_id desc`.execute(db)
  return { rows, total: after === undefined ? (rows[0]?.total ?? 0) : null }
}

export interface CauseDetailRows {
  cause: CauseRow
  bundles: { bundle_environment_key: string; bundle_id: string; operations: number; versions: string[] }[]
  /** The failures before the present ones. */
  before: { failures: number; operations: number; first_at: string; last_at: string } | null
  notes: CauseNoteRow[]
}

export type CauseNoteRow = Selectable<CauseNoteTable>

const BUNDLES_MAX = 50

/** A cause with what the actor may see of it; undefined if no failure of it is in a scope that the actor may read. */
export async function findCause(db: Db, actor: Actor, causeId: string): Promise<CauseDetailRows | undefined> {
  const visible = await visibleScopes(db, actor, 'read', {})
  const isMember = sql`operation.state = 'FAILED' and ${isVisible(visible, 'operation')}`
  const members = sql`runtime.operation as operation where operation.cause_id = ${causeId} and ${isMember}`
  const failures = sql`runtime.cause_failure as failed where failed.cause_id = ${causeId} and ${isVisible(visible, 'failed')}`
  const { rows } = await sql<
    CauseRow & {
      latest: string | null
      ever_first_at: string | null
      ever_last_at: string
      ever_scopes: number
    }
  >`
    select cause.*, now.*, ever.*, ${membersOf(sql`cause.cause_id`, isMember)}
    from runtime.cause as cause,
      lateral (
        select count(*) as operations, count(distinct scope_id) as scopes, min(finished_at) as first_at, max(finished_at) as last_at
        from ${members}) as now,
      lateral (
        select min(failed_at) as ever_first_at, max(failed_at) as ever_last_at, count(distinct scope_id) as ever_scopes
        from ${failures}) as ever
    where cause.cause_id = ${causeId}`.execute(db)
  const [row] = rows
  if (row === undefined || row.ever_first_at === null) return undefined
  const latest = await readLatest(db, [row])
  const isPast = row.operations === 0
  const { rows: bundles } = await sql<CauseDetailRows['bundles'][number]>`
    select bundle_environment_key, bundle_id, count(*) as operations, (array_agg(distinct target_version))[1:10] as versions
    from ${members} group by 1, 2 order by operations desc, bundle_id limit ${BUNDLES_MAX}`.execute(db)
  const { rows: before } = await sql<NonNullable<CauseDetailRows['before']>>`
    select count(*) as failures, count(distinct operation_id) as operations, min(failed_at) as first_at, max(failed_at) as last_at
    from ${failures} and failed_at < ${row.opened_at}::timestamptz having count(*) > 0`.execute(db)
  return {
    cause: {
      ...row,
      first_at: isPast ? row.ever_first_at : row.first_at,
      last_at: isPast ? row.ever_last_at : row.last_at,
      scopes: isPast ? row.ever_scopes : row.scopes,
      latest: row.latest === null ? null : (latest.get(row.latest) ?? null),
    },
    bundles,
    before: before[0] ?? null,
    notes: await readCauseNotes(db, causeId),
  }
}

/** Whether the actor may do this with a failure of the cause, of the present or the past. */
export async function mayOfCause(
  db: Db,
  actor: Actor,
  permission: 'read' | 'operation:annotate',
  causeId: string,
): Promise<boolean> {
  const visible: VisibleScopes = await visibleScopes(db, actor, permission, {})
  const { rows } = await sql`
    select from runtime.cause_failure as failed
    where failed.cause_id = ${causeId} and ${isVisible(visible, 'failed')} limit 1`.execute(db)
  return rows.length > 0
}

/** Returns the notes of a cause, oldest first. */
export function readCauseNotes(db: Db, causeId: string): Promise<CauseNoteRow[]> {
  return db
    .selectFrom('runtime.cause_note')
    .selectAll()
    .where('cause_id', '=', causeId)
    .orderBy('number')
    .execute()
}

/** Of each scope, the operation that failed last with the cause: those whose pages show it. At most 1,000. */
export async function newestMembers(
  tx: Tx,
  causeId: string,
): Promise<{ scope_id: number; operation_id: string }[]> {
  const { rows } = await sql<{ scope_id: number; operation_id: string }>`
    select distinct on (scope_id) scope_id, operation_id from runtime.cause_failure
    where cause_id = ${causeId} order by scope_id, failed_at desc limit 1000`.execute(tx)
  return rows
}

/** A failure after which a property of its scope became sensitive. */
export interface MarkedFailure {
  cause_id: string
  operation_id: string
  /** As it was stored; null if retention has removed the operation. */
  failure: Failure | null
}

/** So many are read for one cause. */
export const MARKED_MAX = 5

/**
 * Of each cause, the newest failures after which a property of their scope became sensitive: the shape of the cause may quote its value.
 * One more than `MARKED_MAX`, if there are more. In all scopes, because the shape is the same for everybody.
 */
export async function listMarkedFailures(db: Db, causeIds: readonly string[]): Promise<MarkedFailure[]> {
  if (causeIds.length === 0) return []
  const { rows } = await sql<MarkedFailure>`
    select asked.cause_id, marked.operation_id, marked.failure
    from unnest(${[...causeIds]}::text[]) as asked (cause_id) cross join lateral (
      select failed.operation_id, coalesce(retry.failure, operation.failure) as failure
      from runtime.cause_failure as failed
      left join runtime.operation as operation using (operation_id)
      left join runtime.operation_retry as retry
        on retry.operation_id = failed.operation_id and retry.run = failed.run + 1
      where failed.cause_id = asked.cause_id and exists (
        select from runtime.sensitive_mark as mark
        where mark.scope_id = failed.scope_id and mark.marked_at >= failed.failed_at
          and (operation.operation_id is null or starts_with(
            mark.locator, operation.bundle_environment_key || '/' || operation.bundle_id || '/')))
      order by failed.failed_at desc, failed.operation_id desc limit ${MARKED_MAX + 1}) as marked`.execute(db)
  return rows
}

/** When the run before this one of an operation failed, and when the retry started; undefined if either is not known. */
export async function findRetrySpan(
  db: Db,
  operationId: string,
  run: number,
): Promise<{ failed_at: string; started_at: string; bundle_install_id: string } | undefined> {
  const { rows } = await sql<{ failed_at: string; started_at: string; bundle_install_id: string }>`
    select failed_at, retry.started_at, bundle_install_id
    from runtime.operation_retry as retry join runtime.operation using (operation_id)
    where operation_id = ${operationId}::uuid and retry.run = ${run} and failed_at is not null`.execute(db)
  return rows[0]
}

export const HOURS = 24

/**
 * How many of the operations that were created in each of the last 24 hours are failed, by plugin; not those that were retried
 * or taken over since, as in the list of causes. Hours are numbered from the oldest. Failures of the runtime itself have no
 * plugin.
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
      where state = 'FAILED' and state <> 'SUCCEEDED' and failure is not null
        and created_at >= ${since}::timestamptz and ${isVisible(visible, 'operation')}
      group by 1, 2
    ), plugin as (
      select plugin_id, sum(count) as total from counted group by 1 order by total desc, plugin_id limit ${FAILING_PLUGINS_MAX}
    )
    select counted.* from plugin join counted on counted.plugin_id is not distinct from plugin.plugin_id
    order by plugin.total desc, counted.plugin_id, hour`.execute(db)
  return { since, counts: rows }
}
