import type { WrappedDataKey } from '../../model/data-key.ts'
import type { Db } from '../../model/db.ts'

export interface DataKeyRow extends WrappedDataKey {
  createdAt: string
  /** When another key became the current one; null for the current key. */
  replacedAt: string | null
}

/** All data keys that may still be in use, oldest first. */
export function listDataKeys(db: Db): Promise<DataKeyRow[]> {
  return db
    .selectFrom('runtime.data_key')
    .select([
      'data_key_id as id',
      'wrapped',
      'sealing_key as fingerprint',
      'created_at as createdAt',
      'replaced_at as replacedAt',
    ])
    .orderBy('data_key_id')
    .execute()
}
