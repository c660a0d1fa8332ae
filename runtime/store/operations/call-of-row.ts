import type { Call } from '../../model/call.ts'
import type { CallRow } from './read-calls.ts'

export function callOf(row: CallRow): Call {
  return {
    stage: row.stage,
    pluginId: row.plugin_id,
    order: row.call_order,
    endedWell: row.ended_well,
    failed: row.failed,
    failure: row.last_failure,
    nextAttemptAt: row.next_attempt_at,
    writes: row.writes,
    request: row.request,
    attempts: row.attempts,
    runAttempts: row.run_attempts,
  }
}
