import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { mapWrites } from '../../sealing/places.ts'
import { sealingWith } from '../../sealing/stored-value.ts'
import type { AttemptKey, CallTiming, Judgement, RecordedAttempt } from '../../model/attempt.ts'
import type { Vault } from '../../model/vault.ts'
import type { Db } from '../../model/db.ts'

/**
 * For `persistTransitions`: records the results of attempts and the resulting progress of their calls. An attempt
 * that is already recorded does not change, so the statement is safe to repeat when its commit is uncertain. `unsure`
 * are the held operations with such an attempt: the progress of their calls is unknown.
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
        ${attempts.map(({ timing }) => timing?.sentMs ?? null)}::float8[],
        ${attempts.map(({ timing }) => timing?.connectedMs ?? null)}::float8[],
        ${attempts.map(({ timing }) => timing?.answeredMs ?? null)}::float8[],
        ${attempts.map(({ timing }) => timing?.endedMs ?? null)}::float8[],
        ${attempts.map(({ after }) => after.endedWell)}::boolean[],
        ${attempts.map(({ after }) => after.failed)}::boolean[],
        ${attempts.map(({ after }) => jsonOrNull(after.failure))}::text[],
        ${attempts.map((attempt) => sealedWrites(vault, attempt))}::text[],
        ${attempts.map(({ nextAttemptAt }) => nextAttemptAt)}::timestamptz[])
      as answer (operation_id, stage, plugin_id, attempt, outcome, failure, http_status, response,
        sent_ms, connected_ms, answered_ms, ended_ms, ended_well, failed, last_failure, writes, next_attempt_at)
    ), kept as materialized (
      -- planned for one row: for the ten of a list the planner would scan a table that is still small, and keep that plan
      select answer.* from answer join held using (operation_id)
    ), finished as (
      update runtime.attempt
      set finished_at = clock_timestamp(), late = false, outcome = kept.outcome, failure = kept.failure::json,
        http_status = kept.http_status, response = kept.response::json, sent_ms = kept.sent_ms,
        connected_ms = kept.connected_ms, answered_ms = kept.answered_ms, ended_ms = kept.ended_ms
      from kept
      where attempt.operation_id = kept.operation_id and attempt.stage = kept.stage
        -- not by the index of plugins, which a plan that was made for an empty table would read whole
        and attempt.plugin_id || '' = kept.plugin_id and attempt.attempt = kept.attempt
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
 * Records an answer that arrives after the worker has lost the operation. It is stored with the attempt if the
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
      sent_ms = ${timing?.sentMs ?? null},
      connected_ms = ${timing?.connectedMs ?? null},
      answered_ms = ${timing?.answeredMs ?? null},
      ended_ms = ${timing?.endedMs ?? null}
    where operation_id = ${key.operationId} and stage = ${key.stage} and plugin_id = ${key.pluginId}
      and attempt = ${key.attempt} and finished_at is null`.execute(db)
}

/** The writes to store, of a successful call only. */
function sealedWrites(vault: Vault, { key, judgement, after }: RecordedAttempt): string | null {
  return after.endedWell ? JSON.stringify(mapWrites(key, judgement.writes, sealingWith(vault))) : null
}

function jsonOrNull(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value)
}
