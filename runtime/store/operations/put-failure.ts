import type { Failure } from '#contract/runtime-api/common.ts'
import type { Tx } from '../../model/db.ts'

/** Replaces the stored failure of an operation. */
export async function putFailure(tx: Tx, operationId: string, failure: Failure): Promise<void> {
  await tx
    .updateTable('runtime.operation')
    .set({ failure: JSON.stringify(failure) })
    .where('operation_id', '=', operationId)
    .execute()
}
