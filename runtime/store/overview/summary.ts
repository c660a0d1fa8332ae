import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { OperationType } from '#contract/protocol/vocabulary.ts'
import type { ClaimState, InstallationState, OperationState } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import type { Tx, Db } from '../../model/db.ts'
import { bucketOf } from '../buckets.ts'
import { readInstalledVersions } from '../installations/installed-versions.ts'
import { situationNumber } from '../operations/next-step-sql.ts'
import { isVisible, visibleScopes } from '../visible-scopes.ts'
import type { ScopeFilter, VisibleScopes } from '../visible-scopes.ts'
import { readLargestDifference } from '../recovery/keep-clock.ts'

interface SummaryRow {
  installations: { state: InstallationState; count: number }[]
  outdated: number
  claims: { operationType: OperationType; state: ClaimState; count: number }[]
  /** By index in SITUATIONS. */
  situations: { situation: number; count: number }[]
  operations: { state: OperationState; count: number }[]
  clockAheadMs: number | null
}

/** Counts what the actor may see. Run it in a transaction that reads one snapshot of the database. */
export async function readSummaryRow(tx: Tx, actor: Actor, filter: ScopeFilter): Promise<SummaryRow> {
  const visible = await visibleScopes(tx, actor, 'read', filter)
  return {
    installations: await countInstallations(tx, visible),
    outdated: await countOutdated(tx, visible),
    claims: await countClaimsSeen(tx, visible),
    situations: await countSituations(tx, visible),
    operations: await countLastDay(tx, visible),
    clockAheadMs: await readLargestDifference(tx),
  }
}

async function countInstallations(tx: Tx, visible: VisibleScopes): Promise<SummaryRow['installations']> {
  const { rows } = await (
    visible.kind === 'scopes'
      ? sql<SummaryRow['installations'][number]>`
          select state, count(*) as count from runtime.installation as installation
          where ${isVisible(visible, 'installation')} group by state`
      : sql<SummaryRow['installations'][number]>`
          select state, sum(count)::bigint as count from runtime.installation_count as counted
          where ${isVisible(visible, 'counted')} group by state`
  ).execute(tx)
  return rows
}

async function countOutdated(tx: Tx, visible: VisibleScopes): Promise<number> {
  const versions = await readInstalledVersions(tx, visible, {})
  return versions.reduce((sum, row) => (row.is_outdated ? sum + row.installations : sum), 0)
}

async function countClaimsSeen(tx: Tx, visible: VisibleScopes): Promise<SummaryRow['claims']> {
  const { rows } = await sql<SummaryRow['claims'][number]>`
    select operation_type as "operationType", state, count(*) as count
    from runtime.operation as operation
    where holds_claim and ${isVisible(visible, 'operation')}
    group by operation_type, state order by operation_type, state`.execute(tx)
  return rows
}

/**
 * The situation of a failed operation is that of its cause, so one look-up for each cause is enough; at a plugin that is retired
 * now it is also that of its type.
 */
async function countSituations(tx: Tx, visible: VisibleScopes): Promise<SummaryRow['situations']> {
  const { rows } = await sql<SummaryRow['situations'][number]>`
    with retired as materialized (
      select cause_id from runtime.cause join runtime.plugin using (plugin_id) where retired_at is not null
    ), ungrouped as materialized (
      -- none, unless rows were restored without their triggers; the planner expects many, and would read all that failed
      select operation_id from runtime.operation as operation
      where state = 'FAILED' and cause_id is null and ${isVisible(visible, 'operation')}
      union all
      select operation_id from retired join runtime.operation as operation using (cause_id)
      where state = 'FAILED' and ${isVisible(visible, 'operation')}
    )
    select situation, sum(count)::bigint as count from (
      select (
        select ${situationNumber()} from runtime.operation as operation
        where state = 'FAILED' and operation.cause_id = grouped.cause_id limit 1) as situation, count
      from (
        select cause_id, count(*) as count from runtime.operation as operation
        where state = 'FAILED' and cause_id is not null and ${isVisible(visible, 'operation')}
          and cause_id <> all (array(select cause_id from retired))
        group by cause_id
      ) as grouped
      union all
      select ${situationNumber()}, count(*) from runtime.operation as operation
      where state in ('PENDING', 'RUNNING', 'WAITING') and ${isVisible(visible, 'operation')}
      group by 1
      union all
      select ${situationNumber()}, count(*) from ungrouped join runtime.operation as operation using (operation_id)
      group by 1
    ) as counted group by situation`.execute(tx)
  return rows
}

async function countLastDay(tx: Tx, visible: VisibleScopes): Promise<SummaryRow['operations']> {
  const { rows: times } = await sql<{ since: string }>`
    select clock_timestamp() - interval '24 hours' as since`.execute(tx)
  const since = times[0]?.since ?? ''
  if (visible.kind !== 'scopes') return countCreated(tx, visible, { since, until: null, bucket: 'all' })
  const { rows } = await sql<SummaryRow['operations'][number]>`
    select state, count(*) as count from runtime.operation as operation
    where created_at > ${since}::timestamptz and ${isVisible(visible, 'operation')}
    group by state`.execute(tx)
  return rows
}

/** Counts the operations that hold a claim, by state. The cost grows with the open work, not with the history. */
export function countClaims(db: Db): Promise<{ state: OperationState; count: number }[]> {
  return db
    .selectFrom('runtime.operation')
    .select(['state', (row) => row.fn.countAll<number>().as('count')])
    .where('holds_claim', '=', true)
    .groupBy('state')
    .execute()
}

/**
 * Counts operations by state and bucket, filtered by scope and time only. Completed hours have stored totals: the few
 * operations that did not succeed come from their own index, and the rest succeeded.
 */
export async function countCreated(
  db: Db,
  visible: VisibleScopes & { kind: 'everything' | 'environments' },
  { since, until, bucket }: { since: string; until: string | null; bucket: 'hour' | 'day' | 'all' },
): Promise<{ since: string; state: OperationState; count: number }[]> {
  const truncated = (column: string) =>
    bucket === 'all' ? sql`'epoch'::timestamptz` : bucketOf(bucket, column)
  const span = await readSpan(db, since, until)
  const { rows } = await sql<{ since: string; state: OperationState; count: number }>`
    with created as (
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
    ), unsettled as (
      select ${truncated('operation.created_at')} as since, operation.state, count(*) as count
      from runtime.operation as operation
      where operation.created_at >= ${span.since} and operation.created_at < ${span.until}
        and operation.state <> 'SUCCEEDED' and ${isVisible(visible, 'operation')}
      group by 1, 2
    )
    select since, state, count from unsettled
    union all
    select since, 'SUCCEEDED', sum(count)::bigint from (
      select since, count from created union all select since, -count from unsettled
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
