import type { CallRow } from '../store/operations/read-calls.ts'
import type { CallWrites } from '../engine/steps/merged-writes.ts'
import type { CallProgress } from '../engine/steps/next-step.ts'

/** A plugin call of an operation as the engine thinks of it. */
export type Call = CallProgress &
  CallWrites & {
    /** The frozen bytes; null before the first attempt. */
    request: Buffer | null
    attempts: number
    /** Attempts of the current run. */
    runAttempts: number
  }

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
