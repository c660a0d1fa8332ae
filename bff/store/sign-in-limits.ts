import { sql } from 'kysely'
import type { BffDb } from './tables.ts'

/** A token bucket: at most `capacity` at once, then one every `secondsPerToken`. */
export interface Limit {
  capacity: number
  secondsPerToken: number
}

/** Takes one token from a bucket; false if it is empty. One statement, so that the limit applies across replicas. */
export async function takeToken(db: BffDb, bucket: number, limit: Limit): Promise<boolean> {
  const { capacity, secondsPerToken } = limit
  // a clock that was set back takes nothing away
  const added = sql`greatest(0, extract(epoch from clock_timestamp() - held.updated_at)) / ${secondsPerToken}::float8`
  const { rows } = await sql`
    insert into bff.sign_in_limit as held (bucket, tokens) values (${bucket}, ${capacity - 1}::float8)
    on conflict (bucket) do update set
      tokens = least(${capacity}::float8,
        held.tokens + ${added}) - 1,
      updated_at = clock_timestamp()
    where held.tokens + ${added} >= 1
    returning tokens`.execute(db)
  return rows.length === 1
}

/** Returns the one token that a successful attempt took. */
export async function returnToken(db: BffDb, bucket: number, capacity: number): Promise<void> {
  await sql`
    update bff.sign_in_limit set tokens = least(${capacity}::float8, tokens + 1) where bucket = ${bucket}`.execute(
    db,
  )
}

/** A row that is no bucket. */
const SECRET_ROW = -1

/** The secret number of this console, which all replicas share: `made`, unless there is one already. */
export async function keepLimitSecret(db: BffDb, made: number): Promise<number> {
  const { rows } = await sql<{ tokens: number }>`
    insert into bff.sign_in_limit (bucket, tokens) values (${SECRET_ROW}, ${made}::float8)
    on conflict (bucket) do update set bucket = excluded.bucket
    returning tokens`.execute(db)
  return rows[0]?.tokens ?? made
}
