import { sql } from 'kysely'
import type { Db } from '../../model/db.ts'

/** The bytes that the database takes on the disk of its server. */
export async function readDatabaseSize(db: Db): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select pg_database_size(current_database())::float8 as bytes`.execute(db)
  return rows[0]?.bytes ?? 0
}
