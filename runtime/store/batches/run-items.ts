import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Scope } from '#contract/protocol/scope.ts'
import type { MessageParameters } from '#contract/protocol/envelope.ts'
import type { Person } from '#contract/runtime-api/common.ts'
import type { BatchReason, BatchState } from '#contract/runtime-api/vocabulary.ts'
import type { Db, Tx } from '../../model/db.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import { scopeOf } from '../configuration/scopes.ts'
import { shownErrorCode } from '../operations/filter-operations.ts'
import { hasResult, itemState } from './list-batches.ts'

export type LockedBatch = Selectable<RuntimeTables['runtime.batch']>
export type PendingItem = Selectable<RuntimeTables['runtime.batch_item']>

/** How many batches of one person a look finds. */
export const LOOK_MAX = 100

/**
 * The unfinished batches that are due, at most LOOK_MAX of each person, oldest first: those after the one of theirs that was advanced last,
 * then those before. Not those that are paused and await no result: nothing happens in them until somebody continues, so any number may be
 * left behind.
 */
export async function findUnfinished(
  db: Db,
  last: ReadonlyMap<string, string>,
): Promise<Pick<LockedBatch, 'batch_id' | 'requested_by_id'>[]> {
  const turns = JSON.stringify(Object.fromEntries(last))
  const { rows } = await sql<Pick<LockedBatch, 'batch_id' | 'requested_by_id'>>`
    select batch_id, requested_by_id from (
      select batch_id, requested_by_id, row_number() over (partition by requested_by_id
        order by batch_id <= (${turns}::jsonb ->> requested_by_id)::uuid, batch_id) as number
      from runtime.batch
      where finished_at is null and available_at <= clock_timestamp() and (state <> 'PAUSED' or exists (
        select from runtime.batch_item as item where item.batch_id = batch.batch_id and item.state = 'RUNNING'))
    ) as found
    where number <= ${LOOK_MAX} order by number, batch_id`.execute(db)
  return rows
}

/**
 * Locks an unfinished batch until the transaction ends, so that only one replica starts its items. Returns undefined
 * if it has finished or another replica has it.
 */
export async function lockUnfinished(tx: Tx, batchId: string): Promise<LockedBatch | undefined> {
  const { rows } = await sql<LockedBatch>`
    select * from runtime.batch
    where batch_id = ${batchId} and finished_at is null
    for no key update skip locked`.execute(tx)
  return rows[0]
}

/**
 * Records the results of operations that have ended. The message of a failure stays with the operation,
 * where values that are marked as sensitive later are masked.
 */
export async function settleItems(tx: Tx, batchId: string): Promise<void> {
  await sql`
    update runtime.batch_item as settled
    set state = ${itemState}, ended_at = clock_timestamp(), code = ${shownErrorCode},
      operation_run = operation.run
    from runtime.batch_item as item join runtime.operation as operation on operation.operation_id = item.operation_id
    where item.batch_id = ${batchId} and ${hasResult}
      and settled.batch_id = item.batch_id and settled.position = item.position`.execute(tx)
}

export function nextPending(tx: Tx, batchId: string): Promise<PendingItem | undefined> {
  return tx
    .selectFrom('runtime.batch_item')
    .selectAll()
    .where('batch_id', '=', batchId)
    .where('state', '=', 'PENDING')
    .orderBy('position')
    .limit(1)
    .executeTakeFirst()
}

type ItemKey = Pick<PendingItem, 'batch_id' | 'position'>

/** Records that an item has started an operation, or has succeeded without one. */
export async function startedItem(
  tx: Tx,
  { batch_id, position }: ItemKey,
  operation: { operationId: string; bundleInstallId: string; run: number } | null,
): Promise<void> {
  const now = sql<string>`clock_timestamp()`
  await tx
    .updateTable('runtime.batch_item')
    .set({
      started_at: now,
      ...(operation === null
        ? { state: 'SUCCEEDED', ended_at: now }
        : {
            state: 'RUNNING',
            bundle_install_id: operation.bundleInstallId,
            // an INSTALL may have made it
            scope_id: sql<number>`(select scope_id from runtime.installation
              where bundle_install_id = ${operation.bundleInstallId})`,
            operation_id: operation.operationId,
            operation_run: operation.run,
          }),
    })
    .where('batch_id', '=', batch_id)
    .where('position', '=', position)
    .execute()
}

export interface Refused {
  code: string
  message: string
  parameters?: MessageParameters | undefined
  locator?: string | undefined
  property?: string | undefined
}

export async function refuseItem(
  tx: Tx,
  { batch_id, position }: ItemKey,
  { code, message, parameters, locator, property }: Refused,
): Promise<void> {
  await tx
    .updateTable('runtime.batch_item')
    .set({
      state: 'REFUSED',
      ended_at: sql<string>`clock_timestamp()`,
      code,
      message,
      locator,
      property,
      parameters: parameters === undefined ? null : JSON.stringify(parameters),
    })
    .where('batch_id', '=', batch_id)
    .where('position', '=', position)
    .execute()
}

/** The scope of an item; of an INSTALL that has not started, it may not exist. */
export async function scopeOfItem(
  tx: Tx,
  item: Pick<PendingItem, 'scope_id' | 'environment_key' | 'application_runtime_id' | 'workspace_id'>,
): Promise<Scope> {
  const { scope_id, environment_key, application_runtime_id, workspace_id } = item
  if (scope_id === null) {
    if (environment_key === null || application_runtime_id === null || workspace_id === null)
      throw new TypeError('The item names no scope')
    return scopeOf({ environment_key, application_runtime_id, workspace_id })
  }
  const row = await tx
    .selectFrom('runtime.scope')
    .select(['environment_key', 'application_runtime_id', 'workspace_id'])
    .where('scope_id', '=', scope_id)
    .executeTakeFirstOrThrow()
  return scopeOf(row)
}

/** Counts an unexpected error while an item started, and lets the batch rest. Returns the number of errors. */
export async function noteStartFailure(tx: Tx, { batch_id, position }: ItemKey): Promise<number> {
  await sql`update runtime.batch set available_at = clock_timestamp() + interval '2 seconds'
    where batch_id = ${batch_id}`.execute(tx)
  const row = await tx
    .updateTable('runtime.batch_item')
    .set(({ eb }) => ({ start_failures: eb('start_failures', '+', 1) }))
    .where('batch_id', '=', batch_id)
    .where('position', '=', position)
    .where('state', '=', 'PENDING')
    .returning('start_failures')
    .executeTakeFirst()
  return row?.start_failures ?? 0
}

/** Lets a batch rest that waits between waves: its conditions are examined again after a moment, or when its soak time ends. */
export async function restBetweenWaves(tx: Tx, batchId: string, secondsLeft: number): Promise<void> {
  await sql`update runtime.batch set available_at = clock_timestamp() + make_interval(secs => ${Math.min(secondsLeft, REST_SECONDS)})
    where batch_id = ${batchId}`.execute(tx)
}
const REST_SECONDS = 5

/** Changes the state of a batch. `finished`: no item is pending or running. */
export async function moveBatch(
  tx: Tx,
  batchId: string,
  move: {
    state: BatchState
    because: BatchReason | null
    /** Who stopped it. */
    by?: Person
    isFinished?: boolean
  },
): Promise<void> {
  await tx
    .updateTable('runtime.batch')
    .set({
      state: move.state,
      because: move.because,
      ...(move.by !== undefined && { stopped_by_id: move.by.id, stopped_by_name: move.by.name }),
      // it may rest between waves
      available_at: sql<string>`clock_timestamp()`,
      ...(move.isFinished === true && { finished_at: sql<string>`clock_timestamp()` }),
    })
    .where('batch_id', '=', batchId)
    .execute()
}

/** Skips what has not started. */
export async function skipPending(tx: Tx, batchId: string): Promise<void> {
  await tx
    .updateTable('runtime.batch_item')
    .set({ state: 'SKIPPED', ended_at: sql<string>`clock_timestamp()` })
    .where('batch_id', '=', batchId)
    .where('state', '=', 'PENDING')
    .execute()
}
