import { sql } from 'kysely'
import type { WrappedDataKey } from '../model/vault.ts'
import type { Db, Tx } from '../model/db.ts'

/** Whether the table of data keys exists: not in a new database, nor in one older than the fourth migration. */
export async function hasDataKeyTable(db: Db): Promise<boolean> {
  const { rows } = await sql<{ exists: boolean }>`
    select to_regclass('runtime.data_key') is not null as exists`.execute(db)
  return rows[0]?.exists === true
}

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

/** Prevents other sessions from adding, replacing or wrapping data keys until the transaction ends. */
export async function lockDataKeys(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('bundle-console data keys', 0))`.execute(tx)
}

/** Returns an id that no data key ever had. The id is bound to the values that the key seals. */
export async function nextDataKeyId(tx: Tx): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('runtime.data_key', 'data_key_id')) as id`.execute(tx)
  const [row] = rows
  if (row === undefined) throw new Error('the sequence returned no value')
  return row.id
}

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

/** Replaces the wrapping of a data key; the data key itself does not change. */
export async function rewrapDataKeyRow(tx: Tx, { id, wrapped, fingerprint }: WrappedDataKey): Promise<void> {
  await tx
    .updateTable('runtime.data_key')
    .set({ wrapped, sealing_key: fingerprint })
    .where('data_key_id', '=', id)
    .execute()
}

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
