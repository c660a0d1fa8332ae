import { sql } from 'kysely'
import type { Db } from '../../model/db.ts'

/**
 * Starts a pass through a table with a data key: the first one with that key, or a later one once no replica uses an
 * earlier key. Does nothing if a pass is running or none is due.
 */
export async function startPass(
  db: Db,
  pass: { table: string; dataKeyId: number; keyMadeAt: string; graceMs: number },
): Promise<void> {
  const peace = sql`${pass.keyMadeAt}::timestamptz + ${pass.graceMs} * interval '1 millisecond'`
  await sql`
    insert into runtime.sealing_pass as pass (table_name, data_key_id)
    values (${pass.table}, ${pass.dataKeyId})
    on conflict (table_name) do update
    set data_key_id = excluded.data_key_id, started_at = clock_timestamp(), last_row = null, unopened = 0,
      finished_at = null
    where pass.data_key_id < excluded.data_key_id
      or (pass.finished_at is not null and pass.started_at < ${peace} and clock_timestamp() >= ${peace})`.execute(
    db,
  )
}
