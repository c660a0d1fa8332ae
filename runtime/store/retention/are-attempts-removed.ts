import { sql } from 'kysely'
import type { Db } from '../../model/db.ts'

/** Whether retention has removed the attempts and requests of an operation. */
export async function areAttemptsRemoved(db: Db, operationId: string): Promise<boolean> {
  const { rows } = await sql`
    select from runtime.operation, runtime.retention
    where operation_id = ${operationId} and state in ('SUCCEEDED', 'TAKEN_OVER')
      and (finished_at, operation_id) <= (attempts_until, attempts_until_id)
      and not exists (select from runtime.attempt where attempt.operation_id = operation.operation_id)`.execute(
    db,
  )
  return rows.length > 0
}
