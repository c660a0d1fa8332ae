import { sql } from 'kysely'
import type { Db } from '../../model/db.ts'

/**
 * Records the progress of a pass; `to` null ends it. Returns false, and records nothing, if another replica has
 * advanced the pass in the meantime.
 */
export async function advancePass(
  db: Db,
  pass: { table: string; dataKeyId: number; from: readonly string[] | null },
  { to, unopened }: { to: readonly string[] | null; unopened: number },
): Promise<boolean> {
  const from = pass.from === null ? null : JSON.stringify(pass.from)
  const advanced = await sql`
    update runtime.sealing_pass
    set last_row = ${to === null ? null : JSON.stringify(to)}::json, unopened = unopened + ${unopened},
      finished_at = case when ${to === null} then clock_timestamp() end
    where table_name = ${pass.table} and data_key_id = ${pass.dataKeyId} and finished_at is null
      and last_row::text is not distinct from ${from}::text`.execute(db)
  return advanced.numAffectedRows === 1n
}
