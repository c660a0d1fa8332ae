import { sql } from 'kysely'
import type { Insertable } from 'kysely'
import type { RuntimeTables } from '../../model/tables.ts'
import type { Tx } from '../../model/db.ts'

/** Creates or replaces the registration of a service. */
export async function saveServiceRow(
  tx: Tx,
  row: Omit<Insertable<RuntimeTables['runtime.service']>, 'updated_at'>,
): Promise<void> {
  const { service_id: _, ...columns } = row
  await tx
    .insertInto('runtime.service')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('service_id').doUpdateSet({ ...columns, updated_at: sql<string>`clock_timestamp()` }),
    )
    .execute()
}
