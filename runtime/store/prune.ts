import { sql } from 'kysely'
import type { Db } from '../model/db.ts'

/**
 * Deletes rows whose time is that long ago, the oldest first. Returns the number of deleted ones, at most `limit`.
 *
 * @param older - `table` with the `column` of the time, and the `age` as an interval of PostgreSQL: none of them comes from a request.
 */
export async function pruneOlder(
  db: Db,
  { table, column, age }: { table: string; column: string; age: string },
  limit: number,
): Promise<number> {
  const [rows, at] = [sql.table(table), sql.ref(column)]
  const result = await sql`
    delete from ${rows} where ctid = any(array(
      select ctid from ${rows}
      where ${at} <= clock_timestamp() - ${sql.lit(age)}::interval
      order by ${at}
      limit ${limit}
      for update skip locked
    ))`.execute(db)
  return Number(result.numAffectedRows ?? 0)
}
