import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import type { ProcessCause } from '#contract/runtime-api/operation-context.ts'
import type { AttemptKey, CallTiming, Judgement, AttemptResult } from '../../model/call.ts'
import type { Db } from '../../model/db.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import { jsonOrNull } from './attempt-statements.ts'

/**
 * Records a response that arrives after the worker has lost the operation. It is stored with the attempt if the
 * attempt is unfinished; nothing else changes.
 */
export async function recordLateAnswer(
  db: Db,
  key: AttemptKey,
  { judgement, timing }: { judgement: Judgement; timing: CallTiming | null },
): Promise<void> {
  await sql`
    update runtime.attempt
    set finished_at = clock_timestamp(),
      late = true,
      outcome = ${judgement.outcome},
      failure = ${jsonOrNull(judgement.failure)},
      http_status = ${judgement.httpStatus},
      response = ${jsonOrNull(judgement.recorded)},
      wire = ${jsonOrNull(judgement.wire ?? null)},
      sent_ms = ${timing?.sentMs ?? null},
      connected_ms = ${timing?.connectedMs ?? null},
      answered_ms = ${timing?.answeredMs ?? null},
      ended_ms = ${timing?.endedMs ?? null}
    where operation_id = ${key.operationId} and stage = ${key.stage} and plugin_id = ${key.pluginId}
      and attempt = ${key.attempt} and finished_at is null`.execute(db)
}

export type AttemptRow = Selectable<RuntimeTables['runtime.attempt']> & {
  duration_ms: number | null
  lost_by: ProcessCause | null
}

/** What the platform did first after the attempt began and before the next one of its call; null of a finished attempt. */
const lostBy = sql<ProcessCause | null>`case when attempt.finished_at is null and not attempt.by_platform then (
  select event.kind from runtime.process_event as event
  where coalesce(event.until, event.at) >= attempt.started_at and event.at <= coalesce((
    select following.started_at from runtime.attempt as following
    where (following.operation_id, following.stage, following.plugin_id, following.attempt)
      = (attempt.operation_id, attempt.stage, attempt.plugin_id, attempt.attempt + 1)), clock_timestamp())
  order by event.at limit 1) end`

/**
 * Returns the attempts of an operation's calls, in the order in which they were made. With `perEnd`, only the first and
 * the last `perEnd` of each call: the cost then depends on the number of calls, not of attempts.
 */
export function readAttempts(db: Db, operationId: string, perEnd?: number): Promise<AttemptRow[]> {
  const query = select(db)
    .where('attempt.operation_id', '=', operationId)
    .orderBy('started_at')
    .orderBy('attempt')
  if (perEnd === undefined) return query.execute()
  return query
    .innerJoin('runtime.plugin_call as call', (join) =>
      join
        .onRef('call.operation_id', '=', 'attempt.operation_id')
        .onRef('call.stage', '=', 'attempt.stage')
        .onRef('call.plugin_id', '=', 'attempt.plugin_id'),
    )
    .where(sql<boolean>`(attempt.attempt <= ${perEnd} or attempt.attempt > call.attempts - ${perEnd})`)
    .execute()
}

/** Returns up to `limit` attempts of one call, from the attempt with this number on. */
export function readAttemptPage(
  db: Db,
  call: { operationId: string; stage: Stage; pluginId: string },
  { from, limit }: { from: number; limit: number },
): Promise<AttemptRow[]> {
  return (
    select(db)
      .where('attempt.operation_id', '=', call.operationId)
      .where('attempt.stage', '=', call.stage)
      .where('attempt.plugin_id', '=', call.pluginId)
      // a cursor may hold a number that is too large for the column
      .where(sql<boolean>`attempt.attempt >= ${from}::bigint`)
      .orderBy('attempt')
      .limit(limit)
      .execute()
  )
}

function select(db: Db) {
  return db
    .selectFrom('runtime.attempt as attempt')
    .selectAll('attempt')
    .select(
      sql<number | null>`(extract(epoch from finished_at - started_at) * 1000)::float8`.as('duration_ms'),
    )
    .select(lostBy.as('lost_by'))
}

/** How many attempts of a call had the same kind of result. */
export interface ResultCount extends AttemptResult {
  stage: Stage
  plugin_id: string
  attempts: number
}

/** Counts the attempts that `readAttempts` leaves out with this `perEnd`, by call and kind of result. */
export async function countResults(db: Db, operationId: string, perEnd: number): Promise<ResultCount[]> {
  const { rows } = await sql<ResultCount>`
    select stage, plugin_id, (finished_at is not null or by_platform) as finished, attempt.outcome, failure is not null as failed,
      failure -> 'parameters' ->> 'reason' as reason, count(*)::integer as attempts
    from runtime.attempt as attempt join runtime.plugin_call as call using (operation_id, stage, plugin_id)
    where operation_id = ${operationId} and attempt.attempt > ${perEnd} and attempt.attempt <= call.attempts - ${perEnd}
    group by 1, 2, 3, 4, 5, 6`.execute(db)
  return rows
}

/** Returns the results of the attempts before this one in the current run of its operation. */
export async function readEarlierResults(
  db: Db,
  { operationId, stage, pluginId, attempt }: AttemptKey,
): Promise<AttemptResult[]> {
  const { rows } = await sql<AttemptResult>`
    select (attempt.finished_at is not null or attempt.by_platform) as finished, attempt.outcome, attempt.failure is not null as failed,
      attempt.failure -> 'parameters' ->> 'reason' as reason
    from runtime.attempt as attempt join runtime.operation as operation using (operation_id, run)
    where operation_id = ${operationId} and stage = ${stage} and plugin_id = ${pluginId} and attempt.attempt < ${attempt}`.execute(
    db,
  )
  return rows
}

/**
 * The results of calls that did not succeed in the operations that this one took over, one after another, by plugin; each kind of result
 * once.
 */
export async function readTakenOverResults(
  db: Db,
  operationId: string,
): Promise<(AttemptResult & { plugin_id: string })[]> {
  const { rows } = await sql<AttemptResult & { plugin_id: string }>`
    with recursive taken_over (operation_id) as (
      select takes_over from runtime.operation where operation_id = ${operationId} and takes_over is not null
      union
      select operation.takes_over from taken_over join runtime.operation as operation using (operation_id)
      where operation.takes_over is not null
    )
    select distinct call.plugin_id, (attempt.finished_at is not null or attempt.by_platform) as finished, attempt.outcome,
      attempt.failure is not null as failed, attempt.failure -> 'parameters' ->> 'reason' as reason
    from taken_over join runtime.plugin_call as call using (operation_id)
    join runtime.attempt as attempt using (operation_id, stage, plugin_id)
    where not call.ended_well`.execute(db)
  return rows
}

/** Whether retention has removed the attempts and requests of an operation. */
export async function areAttemptsRemoved(db: Db, operationId: string): Promise<boolean> {
  const { rows } = await sql`
    select from runtime.operation, runtime.retention
    where operation_id = ${operationId} and state in ('SUCCEEDED', 'TAKEN_OVER')
      and (finished_at, operation_id) <= (attempts_until, attempts_until_id)
      and not exists (select from runtime.attempt where attempt.operation_id = operation.operation_id)`.execute(
    db,
  )
  return rows.length > 0
}

/** How many of the newest attempts of a plugin are looked at. */
const LOOKED_AT = 100

/** When the last successful attempt of each of these plugins before a time was made, among their newest attempts before it. */
export async function findLastSuccesses(
  db: Db,
  { pluginIds, before }: { pluginIds: readonly string[]; before: string },
): Promise<Map<string, string>> {
  const { rows } = await sql<{ plugin_id: string; at: string }>`
    select plugin_id, success.at from unnest(${[...pluginIds]}::text[]) as plugin (plugin_id) cross join lateral (
      select max(recent.started_at) as at from (
        select started_at, outcome from runtime.attempt
        where attempt.plugin_id = plugin.plugin_id and started_at < ${before}
        order by started_at desc limit ${LOOKED_AT}) as recent
      where recent.outcome in ('NOT_APPLIED', 'APPLIED', 'VERIFIED')) as success
    where success.at is not null`.execute(db)
  return new Map(rows.map(({ plugin_id, at }) => [plugin_id, at]))
}
