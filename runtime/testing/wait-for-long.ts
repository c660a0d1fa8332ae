import { sql } from 'kysely'
import type { Db } from '../model/db.ts'

/** Moves the next attempt of a WAITING operation an hour away. Returns false if it is not WAITING. */
export async function waitForLong(db: Db, operationId: string): Promise<boolean> {
  const { rows } = await sql`
    with waiting as (
      update runtime.operation
      set next_attempt_at = clock_timestamp() + interval '1 hour', available_at = clock_timestamp() + interval '1 hour'
      where operation_id = ${operationId} and state = 'WAITING' returning operation_id
    ), calls as (
      update runtime.plugin_call set next_attempt_at = clock_timestamp() + interval '1 hour'
      from waiting where plugin_call.operation_id = waiting.operation_id and next_attempt_at is not null
    ) select * from waiting`.execute(db)
  return rows.length > 0
}
