import { sql } from 'kysely'
import { EPOCH } from './position.ts'
import type { Position } from './position.ts'
import type { Db } from '../../model/db.ts'

/** Returns the position of the last event that a reader can see now; that before all events if there is none. */
export async function newestPosition(db: Db): Promise<Position> {
  const result = await sql<Position>`
    select ${EPOCH} as epoch, coalesce(newest.event_xid::text, '0') as xid, coalesce(newest.event_id, 0) as "eventId"
    from runtime.server_identity
    left join lateral (
      select event_xid, event_id
      from runtime.event
      where event_xid < pg_snapshot_xmin(pg_current_snapshot())
      order by event_xid desc, event_id desc
      limit 1
    ) as newest on true`.execute(db)
  return result.rows[0] ?? { epoch: '0', xid: '0', eventId: 0 }
}
