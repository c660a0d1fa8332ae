import { sql } from 'kysely'
import type { Insertable } from 'kysely'
import type { RuntimeTables } from '../../model/tables.ts'
import type { Tx } from '../../model/db.ts'

/**
 * Creates or replaces the registration of a plugin. Returns whether it is saved: one that must be new is not if the ID has
 * been registered meanwhile.
 */
export async function savePluginRow(
  tx: Tx,
  row: Omit<Insertable<RuntimeTables['runtime.plugin']>, 'updated_at'>,
  { mustBeNew }: { mustBeNew: boolean },
): Promise<boolean> {
  const { plugin_id: _, ...columns } = row
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('runtime.plugin')
    .values(row)
    .onConflict((conflict) =>
      mustBeNew
        ? conflict.column('plugin_id').doNothing()
        : conflict
            .column('plugin_id')
            .doUpdateSet({ ...columns, updated_at: sql<string>`clock_timestamp()` }),
    )
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}
