import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { requestPlace } from '../../sealing/places.ts'
import type { Vault } from '../../sealing/vault.ts'
import type { AttemptKey } from './record-attempt.ts'

export interface NewAttempt extends AttemptKey {
  run: number
  epoch: number
  /** Kept with the first attempt; a repeat leaves what stands there. */
  bytes: Buffer
}

/**
 * For advanceHeld: records, before calls are made, that they are made: their next attempts, and with first ones the bytes
 * that every repeat will send. `begun` are those that are recorded then; no other may be made.
 */
export function startAttempts(vault: Vault, attempts: readonly NewAttempt[]): RawBuilder<unknown> {
  return sql`
    beginning as (
      select * from unnest(
        ${attempts.map(({ operationId }) => operationId)}::uuid[],
        ${attempts.map(({ stage }) => stage)}::text[],
        ${attempts.map(({ pluginId }) => pluginId)}::text[],
        ${attempts.map(({ attempt }) => attempt)}::integer[],
        ${attempts.map(({ run }) => run)}::integer[],
        ${attempts.map(({ epoch }) => epoch)}::bigint[],
        ${attempts.map((attempt) => vault.seal(attempt.bytes, requestPlace(attempt)))}::bytea[])
      as beginning (operation_id, stage, plugin_id, attempt, run, epoch, bytes)
    ), called as (
      update runtime.plugin_call
      set attempts = beginning.attempt, run_attempts = run_attempts + 1, next_attempt_at = null,
        request = coalesce(request, beginning.bytes)
      from beginning join sound using (operation_id)
      where plugin_call.operation_id = beginning.operation_id and plugin_call.stage = beginning.stage
        and plugin_call.plugin_id = beginning.plugin_id
        and plugin_call.attempts = beginning.attempt - 1 and not plugin_call.ended_well
      returning beginning.operation_id, beginning.stage, beginning.plugin_id, beginning.attempt, beginning.run,
        beginning.epoch
    ), begun as (
      insert into runtime.attempt (operation_id, stage, plugin_id, attempt, run, lease_epoch)
      select operation_id, stage, plugin_id, attempt, run, epoch from called
      returning operation_id
    )`
}
