import { sql } from 'kysely'
import type { Insertable } from 'kysely'
import type { RuntimeTables } from '../../model/tables.ts'
import type { Tx } from '../../model/db.ts'

/**
 * Creates or replaces the registration of a service. Returns whether it is saved: one that must be new is not if the ID has
 * been registered meanwhile.
 */
export async function saveServiceRow(
  tx: Tx,
  row: Omit<Insertable<RuntimeTables['runtime.service']>, 'updated_at'>,
  { mustBeNew }: { mustBeNew: boolean },
): Promise<boolean> {
  const { service_id: _, ...columns } = row
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('runtime.service')
    .values(row)
    .onConflict((conflict) =>
      mustBeNew
        ? conflict.column('service_id').doNothing()
        : conflict
            .column('service_id')
            .doUpdateSet({ ...columns, updated_at: sql<string>`clock_timestamp()` }),
    )
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}
