import { sql } from 'kysely'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import type { Tx } from '../../world.ts'

/** A call that fails for good without being made. */
export async function failCall(
  tx: Tx,
  call: { operationId: string; stage: Stage; pluginId: string },
  failure: Failure,
): Promise<void> {
  await sql`
    update runtime.plugin_call
    set failed = true, last_failure = ${JSON.stringify(failure)}, next_attempt_at = null
    where operation_id = ${call.operationId} and stage = ${call.stage} and plugin_id = ${call.pluginId}
      and not ended_well`.execute(tx)
}
