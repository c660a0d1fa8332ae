import { sql } from 'kysely'
import type { Db } from '../../model/db.ts'

/** Whether the table of data keys exists: not in a new database, nor in one older than the fourth migration. */
export async function hasDataKeyTable(db: Db): Promise<boolean> {
  const { rows } = await sql<{ exists: boolean }>`
    select to_regclass('runtime.data_key') is not null as exists`.execute(db)
  return rows[0]?.exists === true
}
