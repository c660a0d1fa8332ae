import { sql } from 'kysely'
import { inTransaction } from '#database/transaction.ts'
import type { Db, Tx } from '../../model/db.ts'

/** The longest that an operation waits on its own: the largest back-off of a registration. */
const LONGEST_WAIT_MINUTES = 60
/** How often the time is stored, and how far it may go back unnoticed. */
const KEPT_SECONDS = 5
const BACK_SECONDS = 1

/** What was moved because the clock of the database went back. */
export interface MovedBack {
  /** How far the clock went back, at least. */
  seconds: number
  operations: number
}

/** The clock of the database, in milliseconds since 1970, and whether {@link keepClock} has something to do. */
export async function lookAtClock(db: Db): Promise<{ databaseMs: number; isKept: boolean }> {
  const { rows } = await sql<{ databaseMs: number; isKept: boolean }>`
    select extract(epoch from at)::float8 * 1000 as "databaseMs",
      latest between at - make_interval(secs => ${KEPT_SECONDS}) and at + make_interval(secs => ${BACK_SECONDS}) as "isKept"
    from (select clock_timestamp() as at) as moment, runtime.clock`.execute(db)
  const [look] = rows
  if (look === undefined) throw new Error('the statement returned no row')
  return look
}

/**
 * Stores the time of the database. If its clock went back, moves the times of waiting operations, batches and deliveries back
 * with it, once for all replicas; otherwise they would wait until the clock has caught up. An operation that would wait longer
 * than the longest possible wait is due at the end of that wait, whatever the reason.
 *
 * @param leaseMs how long leases are; one that a worker has renewed since the clock went back stays as it is.
 * @returns null if nothing was moved.
 */
export function keepClock(db: Db, leaseMs: number): Promise<MovedBack | null> {
  return inTransaction(db, async (tx) => {
    // one replica at a time; the others have nothing left to do
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from latest - clock_timestamp())::float8 as seconds from runtime.clock for update skip locked`.execute(
      tx,
    )
    const [kept] = rows
    if (kept === undefined) return null
    const seconds = kept.seconds > BACK_SECONDS ? kept.seconds : 0
    const operations = await moveOperations(tx, seconds, leaseMs)
    if (seconds > 0) await moveOthers(tx, seconds)
    await sql`update runtime.clock set latest = clock_timestamp()`.execute(tx)
    return operations > 0 || seconds > 0 ? { seconds, operations } : null
  })
}

const back = (seconds: number) => sql`make_interval(secs => ${seconds}::float8)`

async function moveOperations(tx: Tx, seconds: number, leaseMs: number): Promise<number> {
  const longest = sql`statement_timestamp() + make_interval(mins => ${LONGEST_WAIT_MINUTES})`
  const { rows } = await sql<{ moved: number }>`
    with late as (
      -- each plugin's by the end of its part of the index
      select operation_id
      from (select plugin_id from runtime.plugin union all select '') as known cross join lateral (
        select operation_id from runtime.operation
        where state in ('PENDING', 'RUNNING', 'WAITING') and next_plugin = known.plugin_id
          and available_at > ${seconds === 0 ? longest : sql`statement_timestamp()`}
          and (state <> 'RUNNING' or available_at > statement_timestamp() + make_interval(secs => ${leaseMs / 1000}::float8))
      ) as operation
    ), waiting as (
      -- in the order of all others who lock several
      select operation_id from runtime.operation where operation_id in (select operation_id from late)
      order by operation_id for no key update
    ), moved as (
      update runtime.operation set available_at = least(available_at - ${back(seconds)}, ${longest}),
        next_attempt_at = least(next_attempt_at - ${back(seconds)}, ${longest})
      from waiting where operation.operation_id = waiting.operation_id
      returning operation.operation_id
    ), called as (
      update runtime.plugin_call set next_attempt_at = least(next_attempt_at - ${back(seconds)}, ${longest})
      from moved where plugin_call.operation_id = moved.operation_id and next_attempt_at > statement_timestamp()
    )
    select count(*)::integer as moved from moved`.execute(tx)
  return rows[0]?.moved ?? 0
}

async function moveOthers(tx: Tx, seconds: number): Promise<void> {
  await sql`
    update runtime.batch set available_at = available_at - ${back(seconds)}
    where finished_at is null and available_at > clock_timestamp()`.execute(tx)
  await sql`
    update runtime.webhook_delivery set available_at = available_at - ${back(seconds)}
    where state = 'PENDING' and available_at > clock_timestamp()`.execute(tx)
  await sql`
    update runtime.webhook set failing_since = clock_timestamp() where failing_since > clock_timestamp()`.execute(
    tx,
  )
  await sql`
    update runtime.comparison set compared_at = clock_timestamp() where compared_at > clock_timestamp()`.execute(
    tx,
  )
  await sql`
    update runtime.retention set due_at = least(due_at, clock_timestamp() + interval '1 day')`.execute(tx)
  // hours that were counted as past are counted again when they are
  const { rows } = await sql<{ hour: string }>`
    update runtime.operation_counted set counted_until = date_trunc('hour', clock_timestamp(), 'UTC')
    where counted_until > clock_timestamp()
    returning counted_until::text as hour`.execute(tx)
  if (rows[0] !== undefined)
    await sql`delete from runtime.operation_total where hour >= ${rows[0].hour}::timestamptz`.execute(tx)
}

/** The largest difference that a replica has recorded lately; null if all clocks agree. */
export async function readLargestDifference(db: Db): Promise<number | null> {
  const { rows } = await sql<{ aheadMs: number }>`
    select clock_ahead_ms as "aheadMs" from runtime.signing_key
    where clock_ahead_ms is not null and last_seen_at > statement_timestamp() - interval '20 minutes'
    order by abs(clock_ahead_ms) desc limit 1`.execute(db)
  return rows[0]?.aheadMs ?? null
}

/** Records how far the clock of this replica is ahead of the database's, for everybody; null if they agree. */
export async function noteClock(db: Db, kid: string, aheadMs: number | null): Promise<void> {
  await sql`
    update runtime.signing_key set clock_ahead_ms = ${aheadMs}::float8
    where kid = ${kid} and clock_ahead_ms is distinct from ${aheadMs}::float8`.execute(db)
}
