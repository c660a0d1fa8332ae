import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { BffDb, BffTables } from '../tables.ts'

export type AuditEventRow = Selectable<BffTables['bff.audit_event']>

/** Longer than one delivery takes. */
const PAUSE_SECONDS = 10

/**
 * Takes the event that has been due the longest. It is no longer merged, and is due again after a pause unless
 * it is deleted first. Undefined if no event is due, or other replicas hold them.
 */
export async function takeEvent(db: BffDb): Promise<AuditEventRow | undefined> {
  const { rows } = await sql<AuditEventRow>`
    update bff.audit_event set
      merge_key = null,
      attempts = attempts + 1,
      available_at = clock_timestamp() + make_interval(secs => ${PAUSE_SECONDS})
    where event_id = (
      select event_id from bff.audit_event 
      -- no event waits longer, so the clock was set back
      where available_at <= clock_timestamp() or available_at > clock_timestamp() + interval '10 minutes'
      order by available_at limit 1 for update skip locked)
    returning *`.execute(db)
  return rows[0]
}
