import { sql } from 'kysely'
import type { Position } from './position.ts'
import type { Db } from '../../model/db.ts'

/**
 * Whether everything after a position is still kept. It is not when events up to there and beyond were pruned, which
 * always leaves the last of them; and not when no event of this database ever had the position.
 */
export async function isResumable(db: Db, { xid, eventId }: Position): Promise<boolean> {
  const result = await sql<{ is_kept: boolean | null; is_known: boolean | null }>`
    select
      (select (event_xid, event_id) <= (${xid}::text::xid8, ${eventId}::bigint)
        from runtime.event order by event_xid, event_id limit 1) as is_kept,
      (select (event_xid, event_id) >= (${xid}::text::xid8, ${eventId}::bigint)
        from runtime.event order by event_xid desc, event_id desc limit 1) as is_known`.execute(db)
  const [row] = result.rows
  return row?.is_kept === true && row.is_known === true
}
