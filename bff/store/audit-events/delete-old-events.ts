import { sql } from 'kysely'
import type { BffDb } from '../tables.ts'

/** Deletes events that could not be delivered for this many days; returns their number. */
export async function deleteOldEvents(db: BffDb, days: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from bff.audit_event
    where attempts > 0 and first_at < clock_timestamp() - make_interval(days => ${days})`.execute(db)
  return Number(numAffectedRows)
}
