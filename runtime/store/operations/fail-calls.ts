import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { FailedCall } from '../../model/call.ts'

/** For `persistTransitions`: calls that fail permanently without being made. */
export function failCalls(calls: readonly FailedCall[]): RawBuilder<unknown> {
  return sql`
    failing as (
      update runtime.plugin_call
      set failed = true, last_failure = failing.failure::json, next_attempt_at = null
      from unnest(
        ${calls.map(({ operationId }) => operationId)}::uuid[],
        ${calls.map(({ stage }) => stage)}::text[],
        ${calls.map(({ pluginId }) => pluginId)}::text[],
        ${calls.map(({ failure }) => JSON.stringify(failure))}::text[])
        as failing (operation_id, stage, plugin_id, failure)
      join confirmed using (operation_id)
      where plugin_call.operation_id = failing.operation_id and plugin_call.stage = failing.stage
        and plugin_call.plugin_id = failing.plugin_id and not plugin_call.ended_well
    )`
}
