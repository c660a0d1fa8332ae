import { sql } from 'kysely'
import type { Db } from '../../model/db.ts'

export const CHANNELS = { events: 'bundle_runtime_events', work: 'bundle_runtime_work' } as const

/**
 * Wakes the other replicas: there are new events and, with `work`, due operations. The payload is only `sender`. Runs
 * in its own transaction, because in the transaction of a change it would serialize all commits.
 */
export async function notifyReplicas(db: Db, sender: string, work: boolean): Promise<void> {
  const channels = work ? [CHANNELS.events, CHANNELS.work] : [CHANNELS.events]
  await sql`select pg_notify(channel, ${sender}) from unnest(${channels}::text[]) as channel`.execute(db)
}
