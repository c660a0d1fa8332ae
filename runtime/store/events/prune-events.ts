import { sql } from 'kysely'
import type { Db } from '../../model/db.ts'

/**
 * Deletes events older than 24 hours. Keeps the last of them, which shows whether a reader has missed events. Returns
 * the number of deleted events, at most `limit`.
 */
export async function pruneEvents(db: Db, limit: number): Promise<number> {
  const result = await sql`
    with horizon as (
      select event_xid, event_id from runtime.event
      where at < clock_timestamp() - interval '24 hours'
      order by at desc, event_xid desc, event_id desc
      limit 1
    ), doomed as (
      select event.event_xid, event.event_id
      from runtime.event, horizon
      where (event.event_xid, event.event_id) < (horizon.event_xid, horizon.event_id)
      order by event.event_xid, event.event_id
      limit ${limit}
    )
    delete from runtime.event using doomed
    where event.event_xid = doomed.event_xid and event.event_id = doomed.event_id`.execute(db)
  return Number(result.numAffectedRows ?? 0)
}
