import { sql } from 'kysely'
import type { Position } from '../events/position.ts'
import type { Db } from '../../model/db.ts'

/** How far work and events are behind, in seconds; zero where nothing waits. */
export interface Lags {
  /** Since the operation that is due for the longest has been due, and nobody has claimed it. */
  due: number
  /** Since the oldest event was told that this replica has not passed on. */
  feed: number
}

/** `passedOn`: how far this replica's feed has read; null while nobody listens to it. */
export async function readLags(db: Db, passedOn: Position | null): Promise<Lags> {
  const result = await sql<Lags>`
    select
      coalesce((
        select extract(epoch from clock_timestamp() - min(available_at))
        from runtime.operation
        where state in ('PENDING', 'RUNNING', 'WAITING') and available_at <= clock_timestamp()), 0)::float8 as due,
      coalesce((
        select extract(epoch from clock_timestamp() - at)
        from runtime.event
        where (event_xid, event_id) > (${passedOn?.xid ?? null}::text::xid8, ${passedOn?.eventId ?? null}::bigint)
        order by event_xid, event_id
        limit 1), 0)::float8 as feed`.execute(db)
  return result.rows[0] ?? { due: 0, feed: 0 }
}
