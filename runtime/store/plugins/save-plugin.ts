import { sql } from 'kysely'
import type { Insertable } from 'kysely'
import type { RuntimeTables } from '../../model/tables.ts'
import type { Tx } from '../../model/db.ts'

/** Creates or replaces the registration of a plugin. */
export async function savePluginRow(
  tx: Tx,
  row: Omit<Insertable<RuntimeTables['runtime.plugin']>, 'updated_at'>,
): Promise<void> {
  const { plugin_id: _, ...columns } = row
  await tx
    .insertInto('runtime.plugin')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('plugin_id').doUpdateSet({ ...columns, updated_at: sql<string>`clock_timestamp()` }),
    )
    .execute()
}
