import type { Selectable } from 'kysely'
import { isJsonObject } from '#contract/json-schema/json.ts'
import type { Writes } from '../../model/plan.ts'
import { mapWrites, openRequest } from '../../sealing/places.ts'
import { openingWith } from '../../sealing/stored-value.ts'
import { openingEach } from '../../sealing/opening.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import type { Vault } from '../../model/vault.ts'
import type { Db } from '../../model/db.ts'

export type StoredCallRow = Selectable<RuntimeTables['runtime.plugin_call']>

/** A call with its request and writes unsealed. */
export type CallRow = Omit<StoredCallRow, 'writes'> & { writes: Writes | null }

/** Returns all calls of an operation, both stages. */
export async function readCalls(db: Db, vault: Vault, operationId: string): Promise<CallRow[]> {
  const rows = await db
    .selectFrom('runtime.plugin_call')
    .selectAll()
    .where('operation_id', '=', operationId)
    .orderBy('stage')
    .orderBy('call_order')
    .orderBy('plugin_id')
    .execute()
  const calls = (await openCalls(db, vault, rows)).get(operationId) ?? []
  if (calls instanceof Error) throw calls
  return calls
}

/**
 * Opens calls, by operation. If a call does not open, the result is its error, so that other operations can continue.
 */
export async function openCalls(
  db: Db,
  vault: Vault,
  rows: readonly StoredCallRow[],
): Promise<Map<string, CallRow[] | Error>> {
  const operations = [...Map.groupBy(rows, (row) => row.operation_id)]
  const opened = await openingEach(vault, db, operations, ([, calls]) =>
    calls.map((call) => openCall(vault, call)),
  )
  return new Map(operations.map(([operationId], index) => [operationId, opened[index]!]))
}

function openCall(vault: Vault, row: StoredCallRow): CallRow {
  if (!isWrites(row.writes)) throw new Error('the stored writes of a plugin call are damaged')
  if (row.next_attempt_at !== null && Number.isNaN(Date.parse(row.next_attempt_at)))
    throw new Error('the stored retry time of a plugin call is damaged')
  const key = { operationId: row.operation_id, stage: row.stage, pluginId: row.plugin_id }
  return {
    ...row,
    writes: row.writes && mapWrites(key, row.writes, openingWith(vault)),
    request: row.request && openRequest(vault, row.request, key),
  }
}

function isWrites(writes: unknown): boolean {
  return writes === null || (isJsonObject(writes) && Object.values(writes).every(isJsonObject))
}
