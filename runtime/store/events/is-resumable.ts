import { sql } from 'kysely'
import { EPOCH } from './position.ts'
import type { Position } from './position.ts'
import type { Db } from '../../model/db.ts'

/**
 * Whether all events after a position are still stored. They are not if the database was recovered since, if events
 * beyond the position were pruned (pruning always keeps the last one), or if this database never had an event at the
 * position.
 */
export async function isResumable(db: Db, { epoch, xid, eventId }: Position): Promise<boolean> {
  const result = await sql<{ is_current: boolean; is_kept: boolean | null; is_known: boolean | null }>`
    select ${EPOCH} = ${epoch} as is_current,
      (select (event_xid, event_id) <= (${xid}::text::xid8, ${eventId}::bigint)
        from runtime.event order by event_xid, event_id limit 1) as is_kept,
      (select (event_xid, event_id) >= (${xid}::text::xid8, ${eventId}::bigint)
        from runtime.event order by event_xid desc, event_id desc limit 1) as is_known
    from runtime.server_identity`.execute(db)
  const [row] = result.rows
  return row?.is_current === true && row.is_kept === true && row.is_known === true
}
