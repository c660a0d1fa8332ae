import { sql } from 'kysely'
import { BEGINNING } from './position.ts'
import type { Position } from './position.ts'
import type { Db } from '../../model/db.ts'

/** Returns the position of the last event that a reader can see now. */
export async function newestPosition(db: Db): Promise<Position> {
  const result = await sql<{ xid: string; event_id: number }>`
    select event_xid::text as xid, event_id
    from runtime.event
    where event_xid < pg_snapshot_xmin(pg_current_snapshot())
    order by event_xid desc, event_id desc
    limit 1`.execute(db)
  const [row] = result.rows
  return row === undefined ? BEGINNING : { xid: row.xid, eventId: row.event_id }
}
