import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'

/**
 * The attempts in this run of the call that a row of `runtime.operation as operation` is at: one look-up by primary key
 * for each row. The plugin is the one that `operationView` shows.
 */
export function callAttempts(): RawBuilder<number> {
  return sql<number>`coalesce((
    select run_attempts from runtime.plugin_call
    where plugin_call.operation_id = operation.operation_id and plugin_call.stage = operation.phase
      and plugin_call.plugin_id = case when operation.failure is null
        then operation.next_plugin else operation.failure -> 'errorPath' ->> 1 end), 0)`
}
