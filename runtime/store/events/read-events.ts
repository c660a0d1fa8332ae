import { sql } from 'kysely'
import { EPOCH } from './position.ts'
import type { Position } from './position.ts'
import type { Db } from '../../model/db.ts'

export interface EventRow {
  event_xid: string
  event_id: number
  kind: 'operation' | 'installation' | 'configuration'
  scope_id: number
  object_id: string
  version: number | null
}

/**
 * Returns the next events after a position, from transactions older than every running one. A transaction that
 * commits later has a greater id, so no event can later appear before a position that was read. Returns null if the
 * database was recovered since the position.
 */
export async function readEvents(db: Db, after: Position, limit: number): Promise<EventRow[] | null> {
  const result = await sql<{ is_current: boolean } & (EventRow | { kind: null })>`
    select ${EPOCH} = ${after.epoch} as is_current, event.event_xid::text, event_id, kind, scope_id, object_id, version
    from runtime.server_identity
    left join lateral (
      select * from runtime.event
      where (event_xid, event_id) > (${after.xid}::text::xid8, ${after.eventId}::bigint)
        and event_xid < pg_snapshot_xmin(pg_current_snapshot())
      order by event_xid, event_id
      limit ${limit}
    ) as event on true
    order by event.event_xid, event_id`.execute(db)
  if (result.rows[0]?.is_current === false) return null
  return result.rows.flatMap((row) => (row.kind === null ? [] : [row]))
}
