import { sql } from 'kysely'
import type { Tx } from '../../model/db.ts'

/** A number that no data key ever had: it is bound to what the key seals. */
export async function nextDataKeyId(tx: Tx): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('runtime.data_key', 'data_key_id')) as id`.execute(tx)
  const [row] = rows
  if (row === undefined) throw new Error('a sequence gave no number')
  return row.id
}
