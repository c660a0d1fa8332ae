import type { WrappedDataKey } from '../../model/data-key.ts'
import type { Tx } from '../../model/db.ts'

/** Replaces the wrapping of a data key; the data key itself does not change. */
export async function rewrapDataKeyRow(tx: Tx, { id, wrapped, fingerprint }: WrappedDataKey): Promise<void> {
  await tx
    .updateTable('runtime.data_key')
    .set({ wrapped, sealing_key: fingerprint })
    .where('data_key_id', '=', id)
    .execute()
}
