import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Failure } from '#contract/runtime-api/common.ts'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import type { AttemptKey, AttemptResult } from '../../model/attempt.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import type { Db } from '../../model/db.ts'

export type AttemptRow = Selectable<RuntimeTables['runtime.attempt']> & { duration_ms: number | null }

/**
 * Returns the attempts of an operation's calls, in the order in which they were made. With `ends`, only the first and
 * the last `ends` of each call: the cost then depends on the number of calls, not of attempts.
 */
export function readAttempts(db: Db, operationId: string, ends?: number): Promise<AttemptRow[]> {
  const query = select(db)
    .where('attempt.operation_id', '=', operationId)
    .orderBy('started_at')
    .orderBy('attempt')
  if (ends === undefined) return query.execute()
  return query
    .innerJoin('runtime.plugin_call as call', (join) =>
      join
        .onRef('call.operation_id', '=', 'attempt.operation_id')
        .onRef('call.stage', '=', 'attempt.stage')
        .onRef('call.plugin_id', '=', 'attempt.plugin_id'),
    )
    .where(sql<boolean>`(attempt.attempt <= ${ends} or attempt.attempt > call.attempts - ${ends})`)
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
}

/** How many attempts of a call had the same kind of result. */
export interface ResultCount extends AttemptResult {
  stage: Stage
  plugin_id: string
  attempts: number
}

/** Counts the attempts that `readAttempts` leaves out with these `ends`, by call and kind of result. */
export async function countResults(db: Db, operationId: string, ends: number): Promise<ResultCount[]> {
  const { rows } = await sql<ResultCount>`
    select stage, plugin_id, finished_at is not null as finished, attempt.outcome, failure is not null as failed,
      failure -> 'parameters' ->> 'reason' as reason, count(*)::integer as attempts
    from runtime.attempt as attempt join runtime.plugin_call as call using (operation_id, stage, plugin_id)
    where operation_id = ${operationId} and attempt.attempt > ${ends} and attempt.attempt <= call.attempts - ${ends}
    group by 1, 2, 3, 4, 5, 6`.execute(db)
  return rows
}

/** Returns the results of the attempts before this one in the current run of its operation, the latest first. */
export async function readEarlierResults(
  db: Db,
  { operationId, stage, pluginId, attempt }: AttemptKey,
): Promise<(AttemptResult & { failure: Failure | null })[]> {
  const { rows } = await sql<AttemptResult & { failure: Failure | null }>`
    select attempt.finished_at is not null as finished, attempt.outcome, attempt.failure is not null as failed,
      attempt.failure -> 'parameters' ->> 'reason' as reason, attempt.failure
    from runtime.attempt as attempt join runtime.operation as operation using (operation_id, run)
    where operation_id = ${operationId} and stage = ${stage} and plugin_id = ${pluginId} and attempt.attempt < ${attempt}
    order by attempt.attempt desc`.execute(db)
  return rows
}
