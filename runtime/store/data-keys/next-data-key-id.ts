import { sql } from 'kysely'
import type { Tx } from '../../model/db.ts'

/** Returns an id that no data key ever had. The id is bound to the values that the key seals. */
export async function nextDataKeyId(tx: Tx): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('runtime.data_key', 'data_key_id')) as id`.execute(tx)
  const [row] = rows
  if (row === undefined) throw new Error('the sequence returned no value')
  return row.id
}
