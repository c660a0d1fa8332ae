import type { Db } from '../../model/db.ts'

/** Deletes the data keys that were replaced before the given one was created. Returns their ids. */
export async function deleteReplacedKeys(db: Db, currentId: number): Promise<number[]> {
  const deleted = await db
    .deleteFrom('runtime.data_key')
    .where('replaced_at', 'is not', null)
    .where('data_key_id', '<', currentId)
    .returning('data_key_id')
    .execute()
  return deleted.map((row) => row.data_key_id)
}
