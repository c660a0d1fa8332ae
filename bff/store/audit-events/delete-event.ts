import { sql } from 'kysely'
import type { BffDb } from '../tables.ts'

/** Deletes an event that the runtime has recorded or refused. */
export async function deleteEvent(db: BffDb, eventId: string): Promise<void> {
  await sql`delete from bff.audit_event where event_id = ${eventId}`.execute(db)
}
