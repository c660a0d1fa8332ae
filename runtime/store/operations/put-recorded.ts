import type { Tx } from '../../model/db.ts'
import type { RecordedAnswer } from './read-recorded.ts'

/** Replaces the stored answer of an attempt, or of the call itself. */
export async function putRecorded(tx: Tx, recorded: RecordedAnswer): Promise<void> {
  const { operation_id, stage, plugin_id, attempt, failure, response } = recorded
  const key = { operation_id, stage, plugin_id }
  if (attempt === null)
    await tx
      .updateTable('runtime.plugin_call')
      .set({ last_failure: failure && JSON.stringify(failure) })
      .where((row) => row.and(key))
      .execute()
  else
    await tx
      .updateTable('runtime.attempt')
      .set({
        failure: failure && JSON.stringify(failure),
        response: response === null ? null : JSON.stringify(response),
      })
      .where((row) => row.and({ ...key, attempt }))
      .execute()
}
