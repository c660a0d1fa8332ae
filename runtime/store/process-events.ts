import { sql } from 'kysely'
import type { ProcessCause } from '#contract/runtime-api/operation-context.ts'
import type { Db } from '../model/db.ts'

/** How many are kept, and for how long. */
const KEPT = 1_000
const KEPT_DAYS = 90

/** Records what the platform itself did, and removes what is old. */
export async function recordProcessEvent(db: Db, kind: ProcessCause): Promise<void> {
  await sql`insert into runtime.process_event (kind) values (${kind})`.execute(db)
  await sql`
    delete from runtime.process_event
    where at < clock_timestamp() - make_interval(days => ${KEPT_DAYS}::int)
      or process_event_id <= (select max(process_event_id) from runtime.process_event) - ${KEPT}::int`.execute(
    db,
  )
}

interface ProcessEventRow {
  at: string
  kind: ProcessCause
  /** The end of a trouble. */
  until: string | null
}

/** What the platform itself did between two times, newest first; to the present if `until` is null. */
export async function listProcessEvents(
  db: Db,
  { since, until, limit }: { since: string; until: string | null; limit: number },
): Promise<ProcessEventRow[]> {
  const { rows } = await sql<ProcessEventRow>`
    select at, kind, until from runtime.process_event
    where coalesce(until, at) >= ${since}::timestamptz and at <= coalesce(${until}::timestamptz, 'infinity')
    order by at desc limit ${limit}`.execute(db)
  return rows
}
