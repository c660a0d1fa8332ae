import type { WrappedDataKey } from '../../model/data-key.ts'
import type { Tx } from '../../model/db.ts'

/** The same data key, wrapped with another sealing key. */
export async function rewrapDataKeyRow(tx: Tx, { id, wrapped, fingerprint }: WrappedDataKey): Promise<void> {
  await tx
    .updateTable('runtime.data_key')
    .set({ wrapped, sealing_key: fingerprint })
    .where('data_key_id', '=', id)
    .execute()
}
