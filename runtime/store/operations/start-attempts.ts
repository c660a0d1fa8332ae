import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { requestPlace } from '../../sealing/places.ts'
import type { Vault } from '../../model/vault.ts'
import type { RegistrationRow } from '../../model/registration.ts'
import type { AttemptKey } from '../../model/attempt.ts'

export interface NewAttempt extends AttemptKey {
  run: number
  epoch: number
  /** The end of the back-off before it; null if there was none. */
  dueAt: string | null
  /** Whether it is the first of the call in this run, and whether an answer that made it possible is recorded with it. */
  isFirst: boolean
  followsAnswer: boolean
  /** Stored with the first attempt; a repeat keeps the stored bytes. */
  bytes: Uint8Array
  /** The registration that the call uses: if it is no longer current, the operation is not advanced. */
  registration: RegistrationRow
}

/**
 * For `persistTransitions`: the attempts to start. `stale` are operations with a plugin whose registration has
 * changed.
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
        ${registrations.map(({ max_backoff_ms }) => max_backoff_ms)}::integer[])
      as beginning (operation_id, stage, plugin_id, attempt, run, epoch, due_at, is_first, follows_answer,
        bytes, endpoint, timeout_ms, max_attempts, max_backoff_ms)
    ), stale as (
      select beginning.operation_id
      from beginning left join runtime.plugin on plugin.plugin_id = beginning.plugin_id and plugin.enabled
        and plugin.endpoint = beginning.endpoint
        and plugin.timeout_ms is not distinct from beginning.timeout_ms
        and plugin.max_attempts is not distinct from beginning.max_attempts
        and plugin.max_backoff_ms is not distinct from beginning.max_backoff_ms
      where plugin.plugin_id is null
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
        beginning.epoch, beginning.due_at, beginning.is_first, beginning.follows_answer
    ), begun as (
      insert into runtime.attempt (operation_id, stage, plugin_id, attempt, run, lease_epoch, due_at)
      select operation_id, stage, plugin_id, attempt, run, epoch,
        case when not is_first then due_at when follows_answer then clock_timestamp() else coalesce(
          (select max(finished_at) from runtime.attempt as earlier
            where earlier.operation_id = called.operation_id and earlier.run = called.run and not earlier.late),
          (select coalesce(run_started_at, created_at) from runtime.operation
            where operation.operation_id = called.operation_id)) end
      from called
      returning operation_id
    )`
