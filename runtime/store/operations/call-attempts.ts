import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'

/**
 * The number of attempts, in the current run, of the current call of a row of `runtime.operation as operation`: one
 * look-up by primary key for each row. The plugin is the one that `operationView` shows.
 */
export function callAttempts(): RawBuilder<number> {
  return sql<number>`coalesce((
    select run_attempts from runtime.plugin_call
    where plugin_call.operation_id = operation.operation_id and plugin_call.stage = operation.phase
      and plugin_call.plugin_id = case when operation.failure is null
        then operation.next_plugin else operation.failure -> 'errorPath' ->> 1 end), 0)`
}
