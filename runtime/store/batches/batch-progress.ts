import { sql } from 'kysely'
import type { BatchItemState, BatchState } from '#contract/runtime-api/vocabulary.ts'
import type { Waves } from '#contract/runtime-api/waves.ts'
import type { Actor } from '../../model/actor.ts'
import type { BatchProgress, WaveProgress } from '../../model/batch-progress.ts'
import type { Db } from '../../model/db.ts'
import { visibleTo } from '../visible-scopes.ts'
import { itemState, joinedScope } from './list-batches.ts'

/** How far batches are, by their ids, with when the last result of the wave before was recorded. */
export async function readProgress(
  db: Db,
  batchIds: readonly string[],
): Promise<Map<string, BatchProgress & { resultAt: string | null }>> {
  const { rows } = await sql<ProgressRow>`
    select batch.batch_id, batch.state, batch.first, batch.is_released, batch.concurrency, batch.stop_after_failures,
      batch.grants_until > clock_timestamp() as has_grants, batch.waves, counted.*,
      next.wave, next.wave = any(batch.released_waves) or exists (
        select from runtime.batch_item as item
        where item.batch_id = batch.batch_id and item.wave = next.wave and item.state <> 'PENDING') as released,
      before.running as running_before, before.items, before.failed, before.result_at,
      extract(epoch from clock_timestamp() - before.result_at)::float8 as soaked,
      case when next.wave > 1 and (batch.waves -> 'minPluginSuccess') is not null then ${pluginsBefore} end as plugins
    from runtime.batch as batch
    cross join lateral (
      select count(*) filter (where state = 'PENDING') as pending,
        count(*) filter (where state = 'RUNNING') as running,
        count(*) filter (where state not in ('PENDING', 'SKIPPED') and not refused_in_plan) as begun,
        count(*) filter (where state in ('FAILED', 'REFUSED') and not refused_in_plan) as failures
      from runtime.batch_item as item where item.batch_id = batch.batch_id) as counted
    left join lateral (
      select item.wave from runtime.batch_item as item
      where item.batch_id = batch.batch_id and item.state = 'PENDING'
      order by item.position limit 1) as next on true
    left join lateral (
      select count(*) filter (where item.state = 'RUNNING') as running, count(*) filter (where is_last) as items,
        -- what failed and was then retried with success is no failure any more
        count(*) filter (where is_last and item.state in ('FAILED', 'REFUSED')
          and operation.state is distinct from 'SUCCEEDED') as failed,
        max(greatest(item.ended_at, operation.finished_at)) filter (where is_last) as result_at,
        min(item.started_at) filter (where is_last) as begun_at
      from runtime.batch_item as item
      left join runtime.operation as operation on operation.operation_id = item.operation_id
      cross join lateral (select item.wave = next.wave - 1 as is_last) as of
      where item.batch_id = batch.batch_id and item.wave < next.wave) as before on true
    where batch.batch_id = any(${[...batchIds]}::uuid[])`.execute(db)
  return new Map(rows.map((row) => [row.batch_id, progressOf(row)]))
}

/** The newest attempts that are examined of each plugin. */
const ATTEMPTS_MAX = 1_000

/** The plugins that the wave before the next one has called, with their attempts since it began, also for other operations. */
const pluginsBefore = sql`(
  select coalesce(json_agg(json_build_object('pluginId', called.plugin_id, 'attempts', recent.attempts,
    'succeeded', recent.succeeded) order by called.plugin_id), '[]')
  from (
    select distinct call.plugin_id from runtime.batch_item as item
    join runtime.plugin_call as call on call.operation_id = item.operation_id
    where item.batch_id = batch.batch_id and item.wave = next.wave - 1) as called
  cross join lateral (
    select count(*) as attempts,
      count(*) filter (where outcome in ('NOT_APPLIED', 'APPLIED', 'VERIFIED')) as succeeded
    from (
      select outcome from runtime.attempt
      where plugin_id = called.plugin_id and started_at >= before.begun_at
        and finished_at is not null and not by_platform
      order by started_at desc limit ${ATTEMPTS_MAX}) as newest) as recent)`

interface ProgressRow {
  batch_id: string
  state: BatchState
  first: number | null
  is_released: boolean
  concurrency: number
  stop_after_failures: number | null
  has_grants: boolean
  waves: Waves | null
  pending: number
  running: number
  begun: number
  failures: number
  wave: number | null
  released: boolean | null
  running_before: number
  items: number
  failed: number
  result_at: string | null
  soaked: number | null
  plugins: WaveProgress['plugins'] | null
}

function progressOf(row: ProgressRow): BatchProgress & { resultAt: string | null } {
  const { pending, running, begun, failures, waves, wave } = row
  return {
    pending,
    running,
    begun,
    failures,
    state: row.state,
    first: row.first,
    isReleased: row.is_released,
    concurrency: row.concurrency,
    stopAfterFailures: row.stop_after_failures,
    hasGrants: row.has_grants,
    resultAt: row.result_at,
    next:
      waves === null || wave === null
        ? null
        : {
            waves,
            wave,
            // nothing precedes the first wave
            isReleased: wave === 1 || row.released === true,
            running: row.running_before,
            items: row.items,
            failures: row.failed,
            soaked: row.soaked ?? Infinity,
            plugins: row.plugins ?? [],
          },
  }
}

export interface WaveCount {
  wave: number
  /** Whether a person continued with it in spite of its conditions. */
  released: boolean
  state: BatchItemState
  count: number
  environments: string[]
}

/** The items of each wave that the actor may see, by state, with their environments. */
export async function countWaves(db: Db, actor: Actor, batchId: string): Promise<WaveCount[]> {
  const { rows } = await sql<WaveCount>`
    select item.wave, item.wave = any(batch.released_waves) as released, ${itemState} as state, count(*)::int as count,
      array_agg(distinct scope.environment_key) as environments
    from runtime.batch_item as item join runtime.batch as batch on batch.batch_id = item.batch_id ${joinedScope}
    left join runtime.operation as operation on operation.operation_id = item.operation_id
    where item.batch_id = ${batchId} and item.wave is not null and ${visibleTo(actor, 'read', 'scope')}
    group by 1, 2, 3 order by item.wave`.execute(db)
  return rows
}
