import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { RuntimeTables } from '../../model/tables.ts'
import type { Db } from '../../model/db.ts'

/** A pass through a table, and whether it began so late that no replica used an earlier data key anymore. */
export type PassRow = Selectable<RuntimeTables['runtime.sealing_pass']> & { began_after_grace: boolean }

/** Returns the state of the last pass through each table, by table. */
export async function findPasses(
  db: Db,
  { keyMadeAt, graceMs }: { keyMadeAt: string; graceMs: number },
): Promise<Map<string, PassRow>> {
  const beganAfterGrace = sql<boolean>`started_at >= ${keyMadeAt}::timestamptz + ${graceMs} * interval '1 millisecond'`
  const rows = await db
    .selectFrom('runtime.sealing_pass')
    .selectAll()
    .select(beganAfterGrace.as('began_after_grace'))
    .execute()
  return new Map(rows.map((row) => [row.table_name, row]))
}
