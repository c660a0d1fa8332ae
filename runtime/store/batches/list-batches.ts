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
  const isVisible = visibleTo(actor, 'read', 'scope')
  const { rows } = await sql<CountedBatch>`
    -- the page first, so that only its items are counted
    with page as materialized (
      select batch_id, created_at from runtime.batch as batch
      where ${batchId === undefined ? sql`true` : sql`batch_id = ${batchId}`}
        and ${state === undefined ? sql`true` : sql`state = any(${state}::text[])`}
        and ${
          after === undefined
            ? sql`true`
            : sql`(created_at, batch_id) < (${instantAt(after.createdMicroseconds)}, ${after.batchId}::uuid)`
        }
        and exists (
          select from runtime.batch_item as item
          join runtime.scope as scope on scope.scope_id = item.scope_id
          where item.batch_id = batch.batch_id and ${isVisible}
        )
      order by created_at desc, batch_id desc
      limit ${limit}
    )
    select batch.batch_id, batch.action, batch.title, batch.summary, batch.shown_input, batch.first, batch.concurrency,
      batch.stop_after_failures, batch.reason, batch.state, batch.because, batch.is_released, batch.requested_by_id,
      batch.requested_by_name, batch.actor, batch.grants_until, batch.created_at, batch.finished_at, batch.available_at,
      ${microsecondsOf('batch.created_at')} as created_microseconds,
      (
        select coalesce(json_object_agg(state, count), '{}')
        from (
          select state, sum(count)::int as count
          from (
            select item.state, count(*) as count
            from runtime.batch_item as item
            join runtime.scope as scope on scope.scope_id = item.scope_id
            where item.batch_id = batch.batch_id and item.state <> 'RUNNING' and ${isVisible}
            group by 1
            union all
            -- only these may have a result that is not recorded yet
            select ${itemState}, count(*)
            from runtime.batch_item as item
            join runtime.scope as scope on scope.scope_id = item.scope_id
            left join runtime.operation as operation on operation.operation_id = item.operation_id
            where item.batch_id = batch.batch_id and item.state = 'RUNNING' and ${isVisible}
            group by 1
          ) as part
          group by state
        ) as by_state
      ) as counts,
      array(
        -- Planning the targets precedes the row of the batch, and a mark precedes its commit: 10 minutes cover both.
        select distinct jsonb_build_object('locator', mark.locator, 'property', mark.property)
        from runtime.sensitive_mark as mark
        where mark.marked_at >= batch.created_at - interval '10 minutes'
          and mark.scope_id in (select scope_id from runtime.batch_item where batch_id = batch.batch_id)
      ) as marks
    from page
    join runtime.batch as batch on batch.batch_id = page.batch_id
    order by page.created_at desc, page.batch_id desc`.execute(db)
  return rows
}
