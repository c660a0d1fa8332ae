import { sql } from 'kysely'
import type { ProcessTrouble } from '#contract/runtime-api/operation-context.ts'
import { inTransaction } from '#database/transaction.ts'
import type { Db } from '../model/db.ts'
import { isPaused } from './operations/calls.ts'

/** A worker that has not looked for work for this long, in seconds, has stopped. It looks once a second, and notes it every ten. */
const SILENT_SECONDS = 45
/** How long an operation is due, in seconds, before it counts as left. */
const LEFT_SECONDS = 30

/** Notes that the worker of the replica with this key looks for due operations. */
export async function noteWorker(db: Db, kid: string): Promise<void> {
  await sql`update runtime.signing_key set worker_seen_at = clock_timestamp() where kid = ${kid}`.execute(db)
}

/**
 * Since when no worker looks for work although operations are due; null if one does, or nothing is due. A worker of an earlier
 * version notes nothing, but its leases show it.
 */
export async function noWorkerSince(db: Db): Promise<string | null> {
  const { rows } = await sql<{ since: string | null }>`
    select coalesce((select max(worker_seen_at) from runtime.signing_key), due.at) as since
    from (
      select min(available_at) as at from runtime.operation
      where state in ('PENDING', 'RUNNING', 'WAITING')
        and available_at < clock_timestamp() - make_interval(secs => ${LEFT_SECONDS})
        and not ${isPaused('operation')}
    ) as due
    where due.at is not null
      and not exists (
        select from runtime.signing_key
        where worker_seen_at > clock_timestamp() - make_interval(secs => ${SILENT_SECONDS}))
      and not exists (
        select from runtime.operation where state = 'RUNNING' and available_at > clock_timestamp())`.execute(
    db,
  )
  return rows[0]?.since ?? null
}

/** Two replicas that notice the same trouble differ by less than this, in seconds. */
const SAME_SECONDS = 30

/** Records a trouble of the database that is over, once for all replicas. */
export async function recordTrouble(
  db: Db,
  { kind, since, until }: { kind: ProcessTrouble; since: string; until: string },
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('process event ' || ${kind}, 0))`.execute(tx)
    await sql`
      insert into runtime.process_event (kind, at, until)
      select ${kind}, ${since}::timestamptz, ${until}::timestamptz
      where not exists (
        select from runtime.process_event
        where kind = ${kind} and until > ${since}::timestamptz - make_interval(secs => ${SAME_SECONDS})
          and at < ${until}::timestamptz)`.execute(tx)
  })
}
