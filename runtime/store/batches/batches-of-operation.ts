import type { BatchAction } from '#contract/runtime-api/vocabulary.ts'
import type { Db } from '../../model/db.ts'

/** The batches that started an operation, or a run of it, newest first. */
export async function batchesOfOperation(
  db: Db,
  operationId: string,
): Promise<{ batchId: string; action: BatchAction }[]> {
  return db
    .selectFrom('runtime.batch_item as item')
    .innerJoin('runtime.batch as batch', 'batch.batch_id', 'item.batch_id')
    .select(['batch.batch_id as batchId', 'batch.action'])
    .where('item.operation_id', '=', operationId)
    .orderBy('batch.created_at', 'desc')
    .orderBy('batch.batch_id', 'desc')
    .execute()
}
