import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { RuntimeTables } from '../../model/tables.ts'
import type { Db } from '../../model/db.ts'

export type AttemptRow = Selectable<RuntimeTables['runtime.attempt']> & { duration_ms: number | null }

/** Returns all attempts of an operation's calls, in the order in which they were made. */
export function readAttempts(db: Db, operationId: string): Promise<AttemptRow[]> {
  return db
    .selectFrom('runtime.attempt')
    .selectAll()
    .select(
      sql<number | null>`(extract(epoch from finished_at - started_at) * 1000)::float8`.as('duration_ms'),
    )
    .where('operation_id', '=', operationId)
    .orderBy('started_at')
    .orderBy('attempt')
    .execute()
}
