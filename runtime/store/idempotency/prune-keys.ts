import { sql } from 'kysely'
import type { Db } from '../../model/db.ts'

/** Deletes keys whose response has expired. Returns the number of deleted keys, at most `limit`. */
export async function pruneKeys(db: Db, limit: number): Promise<number> {
  const result = await sql`
    delete from runtime.idempotency as kept
    using (
      select actor_id, endpoint, key from runtime.idempotency
      where created_at < clock_timestamp() - interval '24 hours'
      order by created_at
      limit ${limit}
      for update skip locked
    ) as old
    where kept.actor_id = old.actor_id and kept.endpoint = old.endpoint and kept.key = old.key`.execute(db)
  return Number(result.numAffectedRows ?? 0)
}
