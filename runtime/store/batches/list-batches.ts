import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { BatchItemState, BatchState } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import { instantAt, microsecondsOf } from '../instants.ts'
import { visibleTo } from '../visible.ts'
import { itemState } from './item-state.ts'

export type BatchRow = Omit<Selectable<RuntimeTables['runtime.batch']>, 'input'>

/** A batch with the number of its items that the actor may see, by state. */
export type CountedBatch = BatchRow & {
  counts: Partial<Record<BatchItemState, number>>
  created_microseconds: number
  /** Properties that have been marked as sensitive, in the scope of an item, since the targets were planned. */
  marks: { locator: string; property: string }[]
}

/** Batches with an item that the actor may see, newest first. */
export async function listBatches(
  db: Db,
  actor: Actor,
  filter: {
    batchId?: string
    state?: readonly BatchState[] | undefined
    after?: { createdMicroseconds: number; batchId: string } | undefined
    limit: number
  },
): Promise<CountedBatch[]> {
  const { batchId, state, after, limit } = filter
  const { rows } = await sql<CountedBatch>`
    select batch.batch_id, batch.action, batch.title, batch.shown_input, batch.first, batch.concurrency,
      batch.stop_after_failures, batch.reason, batch.state, batch.because, batch.is_released, batch.requested_by_id,
      batch.requested_by_name, batch.actor, batch.grants_until, batch.created_at, batch.finished_at, batch.available_at,
      ${microsecondsOf('batch.created_at')} as created_microseconds, counted.counts,
      array(
        -- Planning the targets precedes the row of the batch, and a mark precedes its commit: 10 minutes cover both.
        select distinct jsonb_build_object('locator', mark.locator, 'property', mark.property)
        from runtime.sensitive_mark as mark
        where mark.marked_at >= batch.created_at - interval '10 minutes'
          and mark.scope_id in (select scope_id from runtime.batch_item where batch_id = batch.batch_id)
      ) as marks
    from runtime.batch as batch
    cross join lateral (
      select json_object_agg(state, count) as counts
      from (
        select ${itemState} as state, count(*) as count
        from runtime.batch_item as item
        join runtime.scope as scope on scope.scope_id = item.scope_id
        left join runtime.operation as operation on operation.operation_id = item.operation_id
        where item.batch_id = batch.batch_id and ${visibleTo(actor, 'read', 'scope')}
        group by 1
      ) as by_state
    ) as counted
    where counted.counts is not null
      and ${batchId === undefined ? sql`true` : sql`batch.batch_id = ${batchId}`}
      and ${state === undefined ? sql`true` : sql`batch.state = any(${state}::text[])`}
      and ${
        after === undefined
          ? sql`true`
          : sql`(batch.created_at, batch.batch_id) < (${instantAt(after.createdMicroseconds)}, ${after.batchId}::uuid)`
      }
    order by batch.created_at desc, batch.batch_id desc
    limit ${limit}`.execute(db)
  return rows
}
