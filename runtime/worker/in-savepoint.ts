import { sql } from 'kysely'
import { isPgError, PG } from '#database/transaction.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import type { Tx } from '../model/db.ts'

/** Runs a part of the transaction in a savepoint. An error rolls back this part only; the result is then null. */
export async function inSavepoint<Result>(
  tx: Tx,
  deps: RuntimeDeps,
  operationId: string,
  part: () => Promise<Result>,
): Promise<Result | null> {
  await sql`savepoint part`.execute(tx)
  try {
    return await part()
  } catch (error) {
    if (isPgError(error, PG.serializationFailure) || isPgError(error, PG.deadlockDetected)) throw error
    await sql`rollback to savepoint part`.execute(tx)
    deps.log.error('an operation cannot continue', { operationId }, error)
    return null
  }
}
