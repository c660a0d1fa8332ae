import { sql } from 'kysely'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import type { Tx } from '../../world.ts'

/**
 * Records, before the call is made, that it is made: the next attempt, and with the first one the bytes that every
 * repeat will send. Answers the number of the attempt, in all and in this run, and the bytes as they are stored.
 */
export async function startAttempt(
  tx: Tx,
  call: { operationId: string; stage: Stage; pluginId: string; run: number; epoch: number; bytes: Buffer },
): Promise<{ attempt: number; runAttempt: number; bytes: Buffer }> {
  const started = await sql<{ attempt: number; run_attempt: number; request: Buffer }>`
    with call as (
      update runtime.plugin_call
      set attempts = attempts + 1, run_attempts = run_attempts + 1, next_attempt_at = null,
        request = coalesce(request, ${call.bytes})
      where operation_id = ${call.operationId} and stage = ${call.stage} and plugin_id = ${call.pluginId}
        and not ended_well
      returning *
    ), attempt as (
      insert into runtime.attempt (operation_id, stage, plugin_id, attempt, run, lease_epoch)
      select operation_id, stage, plugin_id, attempts, ${call.run}, ${call.epoch} from call
    )
    select attempts as attempt, run_attempts as run_attempt, request from call`.execute(tx)
  const row = started.rows[0]
  if (row === undefined) throw new Error(`the call of plugin ${call.pluginId} has ended already`)
  return { attempt: row.attempt, runAttempt: row.run_attempt, bytes: row.request }
}
