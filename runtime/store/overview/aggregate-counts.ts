import { sql } from 'kysely'
import { inTransaction } from '#database/transaction.ts'
import type { Db } from '../../model/db.ts'

/** Merges the rows that were appended to `installation_count` into one row of each kind. */
export async function mergeInstallationCounts(db: Db): Promise<void> {
  await sql`
    with taken as (
      delete from runtime.installation_count returning environment_key, state, count
    )
    insert into runtime.installation_count (environment_key, state, count)
    select environment_key, state, sum(count) from taken group by 1, 2 having sum(count) <> 0`.execute(db)
}

/** Merges the rows that were appended to `version_count` into one row of each kind. */
export async function mergeVersionCounts(db: Db): Promise<void> {
  await sql`
    with taken as (
      delete from runtime.version_count
      returning environment_key, bundle_environment_key, bundle_id, version, state, count
    )
    insert into runtime.version_count
    select environment_key, bundle_environment_key, bundle_id, version, state, sum(count)
    from taken group by 1, 2, 3, 4, 5 having sum(count) <> 0`.execute(db)
}

/**
 * Stores the counts of the next day, or of its completed hours. Returns false if nothing was left to count or another
 * replica is counting.
 *
 * An hour is complete when all open transactions began after it: none of them can add an operation to it.
 */
export function rollUpOperations(db: Db): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { rows } = await sql<{ since: string; until: string }>`
      select counted_until as since,
        least(counted_until + interval '1 day', date_trunc('hour', least(
          clock_timestamp() - interval '10 minutes',
          (select min(xact_start) from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid())), 'UTC')) as until
      from runtime.operation_counted
      for update skip locked`.execute(tx)
    const [span] = rows
    if (span === undefined || span.until <= span.since) return false
    await sql`
      insert into runtime.operation_total (environment_key, hour, total)
      select environment_key, date_trunc('hour', created_at, 'UTC'), count(*)
      from runtime.operation
      where created_at >= ${span.since}::timestamptz and created_at < ${span.until}::timestamptz
      group by 1, 2`.execute(tx)
    await sql`update runtime.operation_counted set counted_until = ${span.until}::timestamptz`.execute(tx)
    return true
  })
}
