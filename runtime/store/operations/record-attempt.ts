import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { mapWrites } from '../../sealing/places.ts'
import { sealingWith } from '../../sealing/stored-value.ts'
import type { AttemptKey, Judgement, RecordedAttempt } from '../../model/attempt.ts'
import type { Vault } from '../../model/vault.ts'
import type { Db } from '../../model/db.ts'

/**
 * For `persistTransitions`: keeps what attempts brought, and where that leaves their calls. An attempt that was recorded already stays
 * as it is: so this may be run again when nobody knows whether it was committed. `unsure` are the held operations of
 * which an answer was recorded before: of those nobody may assume how their calls stand.
 */
export function recordAttempts(vault: Vault, attempts: readonly RecordedAttempt[]): RawBuilder<unknown> {
  return sql`
    answer as (
      select * from unnest(
        ${attempts.map(({ key }) => key.operationId)}::uuid[],
        ${attempts.map(({ key }) => key.stage)}::text[],
        ${attempts.map(({ key }) => key.pluginId)}::text[],
        ${attempts.map(({ key }) => key.attempt)}::integer[],
        ${attempts.map(({ judgement }) => judgement.outcome)}::text[],
        ${attempts.map(({ judgement }) => jsonOrNull(judgement.failure))}::text[],
        ${attempts.map(({ judgement }) => judgement.httpStatus)}::integer[],
        ${attempts.map(({ judgement }) => jsonOrNull(judgement.recorded))}::text[],
        ${attempts.map(({ after }) => after.endedWell)}::boolean[],
        ${attempts.map(({ after }) => after.failed)}::boolean[],
        ${attempts.map(({ after }) => jsonOrNull(after.failure))}::text[],
        ${attempts.map((attempt) => sealedWrites(vault, attempt))}::text[],
        ${attempts.map(({ nextAttemptAt }) => nextAttemptAt)}::timestamptz[])
      as answer (operation_id, stage, plugin_id, attempt, outcome, failure, http_status, response,
        ended_well, failed, last_failure, writes, next_attempt_at)
    ), kept as materialized (
      -- planned for one row: for the ten of a list a table that is small yet would be looked through, and the plan stays
      select answer.* from answer join held using (operation_id)
    ), finished as (
      update runtime.attempt
      set finished_at = clock_timestamp(), late = false, outcome = kept.outcome, failure = kept.failure::json,
        http_status = kept.http_status, response = kept.response::json
      from kept
      where attempt.operation_id = kept.operation_id and attempt.stage = kept.stage
        and attempt.plugin_id = kept.plugin_id and attempt.attempt = kept.attempt
        and attempt.finished_at is null
      returning attempt.operation_id, attempt.stage, attempt.plugin_id
    ), recorded as (
      update runtime.plugin_call
      set outcome = answer.outcome, ended_well = answer.ended_well, failed = answer.failed,
        last_failure = answer.last_failure::json, writes = answer.writes::json,
        next_attempt_at = answer.next_attempt_at
      from finished join answer using (operation_id, stage, plugin_id)
      where plugin_call.operation_id = finished.operation_id and plugin_call.stage = finished.stage
        and plugin_call.plugin_id = finished.plugin_id and not plugin_call.ended_well
      returning plugin_call.operation_id, plugin_call.stage, plugin_call.plugin_id
    ), unsure as (
      select answer.operation_id from answer left join recorded using (operation_id, stage, plugin_id)
      where recorded.operation_id is null
    )`
}

/**
 * An answer that came after its worker had lost the operation: kept on the attempt, unless it was finished before, and
 * nothing else is changed.
 */
export async function recordLateAnswer(db: Db, key: AttemptKey, judgement: Judgement): Promise<void> {
  await sql`
    update runtime.attempt
    set finished_at = clock_timestamp(),
      late = true,
      outcome = ${judgement.outcome},
      failure = ${jsonOrNull(judgement.failure)},
      http_status = ${judgement.httpStatus},
      response = ${jsonOrNull(judgement.recorded)}
    where operation_id = ${key.operationId} and stage = ${key.stage} and plugin_id = ${key.pluginId}
      and attempt = ${key.attempt} and finished_at is null`.execute(db)
}

/** Kept where the call ended well. */
function sealedWrites(vault: Vault, { key, judgement, after }: RecordedAttempt): string | null {
  return after.endedWell ? JSON.stringify(mapWrites(key, judgement.writes, sealingWith(vault))) : null
}

function jsonOrNull(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value)
}
