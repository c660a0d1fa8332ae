import { sql } from 'kysely'
import type { Tx } from '../../model/db.ts'

/** Deletes the oldest batch that finished more than `days` before `now`. Returns false if there is none. */
export async function removeBatch(tx: Tx, now: string, days: number): Promise<boolean> {
  const { rows } = await sql<{ batch_id: string }>`
    select batch_id from runtime.batch
    where finished_at < ${now}::timestamptz - make_interval(days => ${days})
      -- for the index; what finished was created before
      and created_at < ${now}::timestamptz - make_interval(days => ${days})
    order by created_at, batch_id
    limit 1
    for update skip locked`.execute(tx)
  const [batch] = rows
  if (batch === undefined) return false
  await sql`delete from runtime.batch_item where batch_id = ${batch.batch_id}`.execute(tx)
  await sql`delete from runtime.batch where batch_id = ${batch.batch_id}`.execute(tx)
  return true
}
