import { sql } from 'kysely'
import type { Db } from '../../model/db.ts'

export const CHANNELS = { events: 'bundle_runtime_events', work: 'bundle_runtime_work' } as const

/**
 * Wakes the other replicas: there are events, and with `work` also operations that are due. `sender` is all that it tells.
 * It is a transaction of its own; in that of a change it would make all changes wait for each other.
 */
export async function notifyReplicas(db: Db, sender: string, work: boolean): Promise<void> {
  const channels = work ? [CHANNELS.events, CHANNELS.work] : [CHANNELS.events]
  await sql`select pg_notify(channel, ${sender}) from unnest(${channels}::text[]) as channel`.execute(db)
}
