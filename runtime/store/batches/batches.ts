import { sql } from 'kysely'
import type { Insertable, Selectable } from 'kysely'
import type { Scope } from '#contract/protocol/scope.ts'
import type { Db, Tx } from '../../model/db.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import { scopeOf } from '../configuration/scopes.ts'

/** The grants of a person are kept for at most this long: then somebody must continue the batch. */
const grantsUntil = sql<string>`clock_timestamp() + interval '24 hours'`

type NewBatch = Omit<
  Insertable<RuntimeTables['runtime.batch']>,
  'state' | 'because' | 'is_released' | 'released_waves' | 'grants_until' | 'finished_at'
>
type NewItem = Omit<Insertable<RuntimeTables['runtime.batch_item']>, 'state' | 'ended_at'>

/** Inserts a batch that is RUNNING. */
export async function insertBatch(tx: Tx, batch: NewBatch): Promise<void> {
  await tx
    .insertInto('runtime.batch')
    .values({
      ...batch,
      state: 'RUNNING',
      because: null,
      is_released: false,
      grants_until: grantsUntil,
      finished_at: null,
    })
    .execute()
}

/** Inserts the items of a batch: PENDING, or REFUSED if they were refused in the plan. */
export async function insertItems(tx: Tx, items: readonly NewItem[]): Promise<void> {
  const rows = items.map((item) => ({
    ...item,
    state: item.refused_in_plan ? ('REFUSED' as const) : ('PENDING' as const),
    ended_at: item.refused_in_plan ? sql<string>`clock_timestamp()` : null,
  }))
  await tx.insertInto('runtime.batch_item').values(rows).execute()
}

/** Locks a batch for a person's decision. */
export function lockBatch(
  tx: Tx,
  batchId: string,
): Promise<Selectable<RuntimeTables['runtime.batch']> | undefined> {
  return tx
    .selectFrom('runtime.batch')
    .selectAll()
    .where('batch_id', '=', batchId)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** A batch that was paused, or waits between waves, is RUNNING again, with the grants of this person. */
export async function resumeBatch(
  tx: Tx,
  batchId: string,
  { isReleased, wave, actor }: { isReleased: boolean; wave: number | null; actor: string },
): Promise<void> {
  await tx
    .updateTable('runtime.batch')
    .set({
      state: 'RUNNING',
      because: null,
      is_released: isReleased,
      actor,
      grants_until: grantsUntil,
      available_at: sql<string>`clock_timestamp()`,
      ...(wave !== null && { released_waves: sql<number[]>`array_append(released_waves, ${wave}::integer)` }),
    })
    .where('batch_id', '=', batchId)
    .execute()
}

/** The scope of each target. */
export async function listScopesOfItems(db: Db, batchId: string): Promise<Scope[]> {
  const rows = await db
    .selectFrom('runtime.batch_item as item')
    .leftJoin('runtime.scope as scope', 'scope.scope_id', 'item.scope_id')
    .select(({ fn }) => [
      fn.coalesce('scope.environment_key', 'item.environment_key').$notNull().as('environment_key'),
      fn
        .coalesce('scope.application_runtime_id', 'item.application_runtime_id')
        .$notNull()
        .as('application_runtime_id'),
      fn.coalesce('scope.workspace_id', 'item.workspace_id').$notNull().as('workspace_id'),
    ])
    .where('item.batch_id', '=', batchId)
    .execute()
  return rows.map(scopeOf)
}
