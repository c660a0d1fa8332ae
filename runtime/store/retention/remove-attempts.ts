import { sql } from 'kysely'
import type { Tx } from '../../model/db.ts'

/** Deletes the attempts and the stored requests of finished operations. Returns the number of attempts. */
export async function removeAttempts(tx: Tx, operationIds: readonly string[]): Promise<number> {
  const attempts = await deleteAttempts(tx, operationIds)
  await sql`
    update runtime.plugin_call set request = null
    where operation_id = any(${[...operationIds]}::uuid[]) and request is not null`.execute(tx)
  return attempts
}

/** Deletes the attempts of operations. Returns their number. */
export async function deleteAttempts(tx: Tx, operationIds: readonly string[]): Promise<number> {
  const result = await sql`
    delete from runtime.attempt where operation_id = any(${[...operationIds]}::uuid[])`.execute(tx)
  return Number(result.numAffectedRows ?? 0)
}
