import { sql } from 'kysely'
import type { DataKeyRow } from './list-data-keys.ts'
import type { WrappedDataKey } from '../../model/data-key.ts'
import type { Tx } from '../../model/db.ts'

/** Makes a data key the current one. The previous key stays, to open what it has sealed. */
export async function insertDataKey(tx: Tx, dataKey: WrappedDataKey): Promise<DataKeyRow> {
  await tx
    .updateTable('runtime.data_key')
    .set({ replaced_at: sql<string>`clock_timestamp()` })
    .where('replaced_at', 'is', null)
    .execute()
  const { created_at } = await tx
    .insertInto('runtime.data_key')
    .values({ data_key_id: dataKey.id, wrapped: dataKey.wrapped, sealing_key: dataKey.fingerprint })
    .returning('created_at')
    .executeTakeFirstOrThrow()
  return { ...dataKey, createdAt: created_at, replacedAt: null }
}
