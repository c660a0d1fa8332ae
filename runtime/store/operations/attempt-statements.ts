import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { AttemptKey, RecordedAttempt } from '../../model/call.ts'
import type { RegistrationRow } from '../../model/plugin.ts'
import type { Vault } from '../../model/vault.ts'
import { requestPlace, mapWrites } from '../../sealing/places.ts'
import { sealingWith } from '../../sealing/sealed-value.ts'

export interface NewAttempt extends AttemptKey {
  run: number
  epoch: number
  /** The end of the back-off before it; null if there was none. */
  dueAt: string | null
  /** Whether it is the first of the call in this run, and whether a response that made it possible is recorded with it. */
  isFirst: boolean
  followsAnswer: boolean
  /** Stored with the first attempt; a repeat keeps the stored bytes. */
  bytes: Uint8Array
  /** The registration that the call uses: if it is no longer current, the operation is not advanced. */
  registration: RegistrationRow
}

/**
 * For `persistTransitions`: the attempts to start. `stale` are operations that are paused, or with a plugin that is paused
 * or whose registration has changed.
 */
export function plannedAttempts(vault: Vault, attempts: readonly NewAttempt[]): RawBuilder<unknown> {
  const registrations = attempts.map(({ registration }) => registration)
  return sql`
    beginning as (
      select * from unnest(
        ${attempts.map(({ operationId }) => operationId)}::uuid[],
        ${attempts.map(({ stage }) => stage)}::text[],
        ${attempts.map(({ pluginId }) => pluginId)}::text[],
        ${attempts.map(({ attempt }) => attempt)}::integer[],
        ${attempts.map(({ run }) => run)}::integer[],
        ${attempts.map(({ epoch }) => epoch)}::bigint[],
        ${attempts.map(({ dueAt }) => dueAt)}::timestamptz[],
        ${attempts.map(({ isFirst }) => isFirst)}::boolean[],
        ${attempts.map(({ followsAnswer }) => followsAnswer)}::boolean[],
        ${attempts.map((attempt) => vault.seal(attempt.bytes, requestPlace(attempt)))}::bytea[],
        ${registrations.map(({ endpoint }) => endpoint)}::text[],
        ${registrations.map(({ timeout_ms }) => timeout_ms)}::integer[],
        ${registrations.map(({ max_attempts }) => max_attempts)}::integer[],
        ${registrations.map(({ max_backoff_ms }) => max_backoff_ms)}::integer[],
        ${registrations.map(({ retired }) => retired)}::boolean[])
      as beginning (operation_id, stage, plugin_id, attempt, run, epoch, due_at, is_first, follows_answer,
        bytes, endpoint, timeout_ms, max_attempts, max_backoff_ms, retired)
    ), stale as (
      select beginning.operation_id
      from beginning join held using (operation_id) left join runtime.plugin on plugin.plugin_id = beginning.plugin_id
        and not plugin.paused
        and (plugin.enabled or plugin.retired_at is not null)
        and (plugin.retired_at is not null) = beginning.retired
        and plugin.endpoint = beginning.endpoint
        and plugin.timeout_ms is not distinct from beginning.timeout_ms
        and plugin.max_attempts is not distinct from beginning.max_attempts
        and plugin.max_backoff_ms is not distinct from beginning.max_backoff_ms
      where plugin.plugin_id is null or held.paused
    )`
}

/**
 * For `persistTransitions`: records calls before they are made: their next attempts and, with the first attempt, the
 * bytes that every repeat sends. `begun` are the recorded attempts; only these may be made.
 */
export const startAttempts: RawBuilder<unknown> = sql`
    called as (
      update runtime.plugin_call
      set attempts = beginning.attempt, run_attempts = run_attempts + 1, next_attempt_at = null,
        request = coalesce(request, beginning.bytes)
      from beginning join confirmed using (operation_id)
      where plugin_call.operation_id = beginning.operation_id and plugin_call.stage = beginning.stage
        and plugin_call.plugin_id = beginning.plugin_id
        and plugin_call.attempts = beginning.attempt - 1 and not plugin_call.ended_well
      returning beginning.operation_id, beginning.stage, beginning.plugin_id, beginning.attempt, beginning.run,
        beginning.epoch, beginning.due_at, beginning.is_first, beginning.follows_answer, beginning.retired
    ), begun as (
      insert into runtime.attempt (operation_id, stage, plugin_id, attempt, run, lease_epoch, by_platform, due_at)
      select operation_id, stage, plugin_id, attempt, run, epoch, retired,
        case when not is_first then due_at when follows_answer then clock_timestamp() else coalesce(
          (select max(finished_at) from runtime.attempt as earlier
            where earlier.operation_id = called.operation_id and earlier.run = called.run and not earlier.late),
          (select coalesce(run_started_at, created_at) from runtime.operation
            where operation.operation_id = called.operation_id)) end
      from called
      returning operation_id
    )`

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
        ${attempts.map(({ judgement }) => jsonOrNull(judgement.wire ?? null))}::text[],
        ${attempts.map(({ timing }) => timing?.sentMs ?? null)}::float8[],
        ${attempts.map(({ timing }) => timing?.connectedMs ?? null)}::float8[],
        ${attempts.map(({ timing }) => timing?.answeredMs ?? null)}::float8[],
        ${attempts.map(({ timing }) => timing?.endedMs ?? null)}::float8[],
        ${attempts.map(({ after }) => after.endedWell)}::boolean[],
        ${attempts.map(({ after }) => after.failed)}::boolean[],
        ${attempts.map(({ after }) => jsonOrNull(after.failure))}::text[],
        ${attempts.map((attempt) => sealedWrites(vault, attempt))}::text[],
        ${attempts.map(({ nextAttemptAt }) => nextAttemptAt)}::timestamptz[])
      as answer (operation_id, stage, plugin_id, attempt, outcome, failure, http_status, response, wire,
        sent_ms, connected_ms, answered_ms, ended_ms, ended_well, failed, last_failure, writes, next_attempt_at)
    ), kept as materialized (
      -- planned for one row: for the ten of a list the planner would scan a table that is still small, and keep that plan
      select answer.* from answer join held using (operation_id)
    ), finished as (
      update runtime.attempt
      set finished_at = clock_timestamp(), late = false, outcome = kept.outcome, failure = kept.failure::json,
        http_status = kept.http_status, response = kept.response::json, wire = kept.wire::json,
        sent_ms = kept.sent_ms, connected_ms = kept.connected_ms, answered_ms = kept.answered_ms, ended_ms = kept.ended_ms
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

/** The writes to store, of a successful call only. */
function sealedWrites(vault: Vault, { key, judgement, after }: RecordedAttempt): string | null {
  return after.endedWell ? JSON.stringify(mapWrites(key, judgement.writes, sealingWith(vault))) : null
}

/** JSON text for a column; NULL for null. */
export function jsonOrNull(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value)
}
