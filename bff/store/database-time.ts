import { sql } from 'kysely'
import type { BffDb } from './tables.ts'

/** The clock of the database, in milliseconds since 1970. */
export async function readDatabaseTime(db: BffDb): Promise<number> {
  const { rows } = await sql<{
    at: number
  }>`select extract(epoch from clock_timestamp())::float8 * 1000 as at`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('the statement returned no row')
  return row.at
}
