import type { Db } from '../../model/db.ts'

/** Those of the operations that exist: retention removes old ones. */
export async function findStoredOperations(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('runtime.operation')
    .select('operation_id')
    .where('operation_id', 'in', [...ids])
    .execute()
  return new Set(rows.map(({ operation_id }) => operation_id))
}
