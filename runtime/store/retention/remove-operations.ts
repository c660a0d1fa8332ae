import { sql } from 'kysely'
import type { Tx } from '../../model/db.ts'
import { deleteAttempts } from './remove-attempts.ts'

/**
 * Locks those of the operations that nothing needs; docs/operating/retention.md says which stay. Skips what others have locked,
 * and operations whose hour is not counted yet.
 */
export async function lockRemovable(tx: Tx, operationIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ operation_id: string }>`
    select operation_id from runtime.operation as old
    where operation_id = any(${[...operationIds]}::uuid[])
      and state = 'SUCCEEDED' and operation_type = 'CONFIGURE'
      and created_at < (select counted_until from runtime.operation_counted)
      and exists (
        select from runtime.operation as later
        where later.bundle_install_id = old.bundle_install_id
          and later.execution_sequence > old.execution_sequence)
      and not exists (select from runtime.batch_item where batch_item.operation_id = old.operation_id)
    for update skip locked`.execute(tx)
  return rows.map(({ operation_id }) => operation_id)
}

/** Deletes operations with all that belongs to them. Returns the number of their attempts. */
export async function deleteOperations(tx: Tx, ids: readonly string[]): Promise<number> {
  const attempts = await deleteAttempts(tx, ids)
  for (const table of ['plugin_call', 'operation_plan', 'operation_retry', 'operation_note'])
    await sql`delete from ${sql.table(`runtime.${table}`)} where operation_id = any(${[...ids]}::uuid[])`.execute(
      tx,
    )
  await sql`
    with deleted as (
      delete from runtime.operation where operation_id = any(${[...ids]}::uuid[])
      returning environment_key, date_trunc('hour', created_at, 'UTC') as hour
    )
    update runtime.operation_total as counted set total = counted.total - gone.count
    from (select environment_key, hour, count(*) as count from deleted group by 1, 2) as gone
    where counted.environment_key = gone.environment_key and counted.hour = gone.hour`.execute(tx)
  return attempts
}
