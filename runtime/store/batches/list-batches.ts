import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { PropertyChange } from '#contract/runtime-api/common.ts'
import type { MessageParameters } from '#contract/protocol/envelope.ts'
import type { BatchItemState, BatchState, BatchAction, Phase } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import { untilFull, type OfFullPage } from '../full-page.ts'
import { instantAt, microsecondsOf } from '../instants.ts'
import { shownErrorCode } from '../operations/filter-operations.ts'
import { visibleTo } from '../visible-scopes.ts'

type BatchRow = Omit<Selectable<RuntimeTables['runtime.batch']>, 'input'>

/** A batch with the number of its items that the actor may see, by state. */
export type CountedBatch = BatchRow & {
  counts: Partial<Record<BatchItemState, number>>
  created_microseconds: number
  /** Properties that have been marked as sensitive, in the scope of an item, since the targets were planned. */
  marks: { locator: string; property: string }[]
}

/** Batches with an item that the actor may see, newest first or in the order of their ids, until a page is full of their values. */
export async function listBatchRows(
  db: Db,
  actor: Actor,
  filter: {
    batchIds?: readonly string[]
    state?: readonly BatchState[] | undefined
    after?: { createdMicroseconds: number; batchId: string } | undefined
    limit: number
  },
): Promise<(CountedBatch & OfFullPage)[]> {
  const { batchIds, state, after, limit } = filter
  const isVisible = visibleTo(actor, 'read', 'scope')
  const query = sql`
    -- the page first, so that only its items are counted
    with page as materialized (
      select batch_id, created_at from runtime.batch as batch
      where ${batchIds === undefined ? sql`true` : sql`batch_id = any(${[...batchIds]}::uuid[])`}
        and ${state === undefined ? sql`true` : sql`state = any(${state}::text[])`}
        and ${
          after === undefined
            ? sql`true`
            : sql`(created_at, batch_id) < (${instantAt(after.createdMicroseconds)}, ${after.batchId}::uuid)`
        }
        and exists (
          select from runtime.batch_item as item ${joinedScope}
          where item.batch_id = batch.batch_id and ${isVisible}
        )
      order by created_at desc, batch_id desc
      limit ${limit}
    )
    select batch.batch_id, batch.action, batch.title, batch.summary, batch.shown_input, batch.first, batch.concurrency,
      batch.stop_after_failures, batch.waves, batch.released_waves, batch.reason, batch.state, batch.because, batch.is_released, batch.overrides, batch.requested_by_id,
      batch.requested_by_name, batch.actor, batch.grants_until, batch.created_at, batch.finished_at, batch.available_at,
      batch.change_request_id, batch.stopped_by_id, batch.stopped_by_name,
      ${microsecondsOf('batch.created_at')} as created_microseconds,
      (
        select coalesce(json_object_agg(state, count), '{}')
        from (
          select state, sum(count)::int as count
          from (
            select item.state, count(*) as count
            from runtime.batch_item as item ${joinedScope}
            where item.batch_id = batch.batch_id and item.state <> 'RUNNING' and ${isVisible}
            group by 1
            union all
            -- only these may have a result that is not recorded yet
            select ${itemState}, count(*)
            from runtime.batch_item as item ${joinedScope}
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
    join runtime.batch as batch on batch.batch_id = page.batch_id`
  const order =
    batchIds === undefined
      ? sql`created_at desc, batch_id desc`
      : sql`array_position(${[...batchIds]}::uuid[], batch_id)`
  return (await untilFull<CountedBatch>(query, { order, values: [sql`shown_input`] }).execute(db)).rows
}

export interface ItemRow {
  position: number
  target: string
  state: BatchItemState
  operation_id: string | null
  wave: number | null
  code: string | null
  locator: string | null
  property: string | null
  message: string | null
  parameters: MessageParameters | null
  shown_values: PropertyChange[] | null
  /** Null until an INSTALL has started. */
  bundle_install_id: string | null
  environment_key: string
  application_runtime_id: string
  workspace_id: number
  bundle_environment_key: string
  bundle_id: string
  title: string | null
  version: string | null
  /** How far its operation is; null before it has one, and if it has been retried since. */
  phase: Phase | null
}

/** Joins `scope`: that of an item, also if it does not exist (yet). */
export const joinedScope = sql`left join runtime.scope as made on made.scope_id = item.scope_id
  cross join lateral (select
    coalesce(made.environment_key, item.environment_key) as environment_key,
    coalesce(made.application_runtime_id, item.application_runtime_id) as application_runtime_id,
    coalesce(made.workspace_id, item.workspace_id) as workspace_id) as scope`

/** The items of a batch that the actor may see, in their order, after a position. */
export async function listItems(
  db: Db,
  actor: Actor,
  batchId: string,
  page: { state?: readonly BatchItemState[] | undefined; after: number; limit: number },
): Promise<ItemRow[]> {
  const { rows } = await sql<ItemRow>`
    -- once: from json, each look reads all of its text
    with batch as materialized (
      select shown_input -> 'bundle' ->> 'environmentKey' as bundle_environment_key,
        shown_input -> 'bundle' ->> 'bundleId' as bundle_id, summary #>> '{bundles,0,title}' as title
      from runtime.batch where batch_id = ${batchId}
    )
    select item.position, item.target, ${itemState} as state, item.operation_id, item.shown_values, item.wave, item.locator, item.property, ${itemCode} as code,
      ${itemMessage} as message, ${itemParameters} as parameters,
      scope.environment_key, scope.application_runtime_id, scope.workspace_id, item.bundle_install_id,
      coalesce(installation.bundle_environment_key, batch.bundle_environment_key) as bundle_environment_key,
      coalesce(installation.bundle_id, batch.bundle_id) as bundle_id, coalesce(installation.title, batch.title) as title,
      installation.version,
      -- of the run that the item started: a later one is not its progress
      case when item.operation_run is null or operation.run = item.operation_run then operation.phase end as phase
    from runtime.batch_item as item cross join batch ${joinedScope}
    left join runtime.installation as installation on installation.bundle_install_id = item.bundle_install_id
    left join runtime.operation as operation on operation.operation_id = item.operation_id
    where item.batch_id = ${batchId} and item.position > ${page.after}
      and ${visibleTo(actor, 'read', 'scope')}
      and ${page.state === undefined ? sql`true` : sql`${itemState} = any(${page.state}::text[])`}
    order by item.position
    limit ${page.limit}`.execute(db)
  return rows
}

/** The items that the actor may see and that have an operation, by how far it is in the run that the item started. */
export async function countPhases(
  db: Db,
  actor: Actor,
  batchId: string,
): Promise<{ phase: Phase; count: number }[]> {
  const { rows } = await sql<{ phase: Phase; count: number }>`
    select operation.phase, count(*)::int as count
    from runtime.batch_item as item ${joinedScope}
    join runtime.operation as operation on operation.operation_id = item.operation_id
    where item.batch_id = ${batchId} and (item.operation_run is null or operation.run = item.operation_run)
      and ${visibleTo(actor, 'read', 'scope')}
    group by operation.phase`.execute(db)
  return rows
}

/** The batches that started an operation, or a run of it, newest first. */
export async function batchesOfOperation(
  db: Db,
  operationId: string,
): Promise<{ batchId: string; action: BatchAction }[]> {
  return db
    .selectFrom('runtime.batch_item as item')
    .innerJoin('runtime.batch as batch', 'batch.batch_id', 'item.batch_id')
    .select(['batch.batch_id as batchId', 'batch.action'])
    .where('item.operation_id', '=', operationId)
    .orderBy('batch.created_at', 'desc')
    .orderBy('batch.batch_id', 'desc')
    .execute()
}

/** Whether the operation of a running item has its result: it has ended in the run that the item started, or later. */
export const hasResult = sql<boolean>`(item.state = 'RUNNING' and operation.run >= item.operation_run
  and operation.state in ('SUCCEEDED', 'FAILED', 'TAKEN_OVER'))`

/** The state of an item as of now. The result of an operation shows here before it is recorded with the item. */
export const itemState = sql<BatchItemState>`case when not coalesce(${hasResult}, false) then item.state
  when operation.state = 'SUCCEEDED' then 'SUCCEEDED' else 'FAILED' end`

/** Why an item was refused, or its operation failed. */
const itemCode = sql<string | null>`coalesce(item.code,
  case when ${itemState} = 'FAILED' then ${shownErrorCode} end)`

/** Whether the failure of the operation is the result of the item, and not of a later run. */
const showsFailure = sql<boolean>`(${itemState} = 'FAILED'
  and (item.state = 'RUNNING' or operation.run = item.operation_run))`

/** The message of `itemCode`; null if the operation has been retried since. */
const itemMessage = sql<string | null>`case when item.operation_id is null then item.message
  when ${showsFailure} then operation.failure ->> 'message' end`

/** The parameters of `itemMessage`. */
const itemParameters = sql<MessageParameters | null>`case when item.operation_id is null then item.parameters
  when ${showsFailure} then operation.failure -> 'parameters' end`
