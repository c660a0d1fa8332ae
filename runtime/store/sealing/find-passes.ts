import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { RuntimeTables } from '../../model/tables.ts'
import type { Db } from '../../model/db.ts'

/** The walk through a table, and whether it began so late that nobody used an earlier data key any more. */
export type PassRow = Selectable<RuntimeTables['runtime.sealing_pass']> & { began_in_peace: boolean }

/** How the last walk through each table stands, by table. */
export async function findPasses(
  db: Db,
  { keyMadeAt, graceMs }: { keyMadeAt: string; graceMs: number },
): Promise<Map<string, PassRow>> {
  const peace = sql<boolean>`started_at >= ${keyMadeAt}::timestamptz + ${graceMs} * interval '1 millisecond'`
  const rows = await db
    .selectFrom('runtime.sealing_pass')
    .selectAll()
    .select(peace.as('began_in_peace'))
    .execute()
  return new Map(rows.map((row) => [row.table_name, row]))
}
