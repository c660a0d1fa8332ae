import type { Db } from '../../model/db.ts'

/** Forgets the data keys that were replaced before the named one was made; answers which. */
export async function deleteReplacedKeys(db: Db, currentId: number): Promise<number[]> {
  const deleted = await db
    .deleteFrom('runtime.data_key')
    .where('replaced_at', 'is not', null)
    .where('data_key_id', '<', currentId)
    .returning('data_key_id')
    .execute()
  return deleted.map((row) => row.data_key_id)
}
