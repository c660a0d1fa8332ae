import type { BatchItemState, OperationState } from '#contract/runtime-api/vocabulary.ts'
import type { Waves } from '#contract/runtime-api/waves.ts'

// What must hold of the batches that change requests start, judged from what a trigger noted about each item when its turn
// came. It reads the items, and not what the runtime works out from them.

/** An item at its turn, and the items before it at that moment. */
export interface TurnSeen {
  wave: number
  /** By the clock of the database, in milliseconds since 1970. */
  at: number
  state: BatchItemState
  /** Whether a person continued with the wave in spite of its conditions. */
  released: boolean
  /** Whether other items of the wave had their turn before. */
  begun: boolean
  /** Items of earlier waves without a result. */
  unfinished: number
  /** Items in progress, this one included. */
  running: number
  /** Items that had failed or been refused at their turn. */
  failures: number
  /** The attempts of each plugin that the wave before called, since it began. */
  plugins: { attempts: number; succeeded: number }[]
  before: {
    state: BatchItemState
    operation: OperationState | null
    endedAt: number
    finishedAt: number | null
  }[]
}

export interface BatchSeen {
  batchId: string
  /** How many approvals the policies asked for when it was made. */
  needed: number
  overrides: boolean
  finished: boolean
  concurrency: number
  stopAfterFailures: number | null
  waves: Waves | null
  /** Items at the end, by state. */
  items: Partial<Record<BatchItemState, number>>
  turns: (TurnSeen & { position: number })[]
}

export const NOTE_TURNS = `
  create table seen.batch (batch_id uuid primary key, needed integer);
  create function seen.note_batch() returns trigger language plpgsql as $$
  begin
    insert into seen.batch select new.batch_id, coalesce(max(policy.approvals), 0)
      from runtime.batch_item as item join runtime.scope as scope using (scope_id)
      join runtime.change_policy as policy on policy.environment_key = scope.environment_key
        and policy.required_for && array[new.action, 'BATCH']
      where item.batch_id = new.batch_id;
    return null;
  end $$;
  create trigger seen_note after update of change_request_id on runtime.batch
    for each row when (old.change_request_id is null) execute function seen.note_batch();
  create table seen.turn (batch_id uuid, position integer, turn json);
  create function seen.note_turn() returns trigger language plpgsql as $$
  begin
    insert into seen.turn select new.batch_id, new.position, json_build_object('wave', new.wave,
      'at', extract(epoch from clock_timestamp()) * 1000, 'state', new.state,
      'released', (select new.wave = any(released_waves) from runtime.batch where batch_id = new.batch_id),
      'begun', coalesce(bool_or(item.wave = new.wave and item.position <> new.position and item.state <> 'PENDING'), false),
      'unfinished', count(*) filter (where item.wave < new.wave and item.state in ('PENDING', 'RUNNING')),
      'running', count(*) filter (where item.state = 'RUNNING'),
      'failures', count(*) filter (where item.position <> new.position and item.state in ('FAILED', 'REFUSED')
        and not item.refused_in_plan),
      'plugins', (select coalesce(json_agg(called), '[]') from (
        select count(*) as attempts, count(*) filter (where outcome in ('NOT_APPLIED', 'APPLIED', 'VERIFIED')) as succeeded
        from runtime.attempt where finished_at is not null and not by_platform
          and started_at >= (select min(started_at) from runtime.batch_item where batch_id = new.batch_id and wave = new.wave - 1)
          and plugin_id in (select call.plugin_id from runtime.batch_item as earlier
            join runtime.plugin_call as call using (operation_id)
            where earlier.batch_id = new.batch_id and earlier.wave = new.wave - 1)
        group by plugin_id) as called),
      'before', coalesce(json_agg(json_build_object('state', item.state, 'operation', operation.state,
          'endedAt', extract(epoch from item.ended_at) * 1000, 'finishedAt', extract(epoch from operation.finished_at) * 1000))
        filter (where item.wave = new.wave - 1), '[]'))
      from runtime.batch_item as item left join runtime.operation as operation using (operation_id)
      where item.batch_id = new.batch_id;
    return null;
  end $$;
  create trigger seen_turn after update on runtime.batch_item
    for each row when (old.state = 'PENDING' and new.state not in ('PENDING', 'SKIPPED')) execute function seen.note_turn();`

/** The batches of a change request, as JSON. */
export const SEEN_BATCH = `
  select json_build_object('batchId', batch_id, 'needed', seen.needed, 'overrides', overrides,
    'finished', finished_at is not null, 'concurrency', concurrency, 'stopAfterFailures', stop_after_failures, 'waves', waves,
    'items', (select json_object_agg(state, count) from (
      select state, count(*) from runtime.batch_item as item where item.batch_id = batch.batch_id group by state) as counted),
    'turns', (select coalesce(json_agg(turn::jsonb || jsonb_build_object('position', position)), '[]')
      from seen.turn where turn.batch_id = batch.batch_id))
  from runtime.batch join seen.batch as seen using (batch_id)`

export function judgeBatch(batch: BatchSeen, breaks: (promise: string, seen: string) => void): void {
  const { batchId, turns, concurrency, stopAfterFailures, waves, items } = batch
  for (const turn of turns) {
    const what = `item ${turn.position} in wave ${turn.wave} of ${batchId}`
    if (turn.running > concurrency) breaks('no more at a time', `${what} made it ${turn.running}`)
    if (stopAfterFailures !== null && turn.failures >= stopAfterFailures)
      breaks('stops after failures', `${what} began after ${turn.failures} failures`)
    if (waves !== null && turn.wave > 1) judgeTurn(waves, turn, what, breaks)
  }
  if (new Set(turns.map(({ position }) => position)).size < turns.length)
    breaks('nothing twice', `${batchId} had ${turns.length} turns`)
  if (!batch.finished && (items.RUNNING ?? 0) > 0) breaks('everything ends', `${batchId} is in progress`)
  const hasFailures = (items.FAILED ?? 0) + (items.REFUSED ?? 0) > 0
  // the share of a plugin may stay too small
  if (!batch.finished && !hasFailures && waves?.minPluginSuccess === undefined)
    breaks('everything ends', `${batchId} waits without a failure`)
}

function judgeTurn(
  { soakSeconds, maxFailures, minPluginSuccess = 0 }: Waves,
  { at, begun, released, unfinished, plugins, before }: TurnSeen,
  what: string,
  breaks: (promise: string, seen: string) => void,
): void {
  if (unfinished > 0) breaks('a wave waits for the one before', `${what}: ${unfinished} without a result`)
  if (begun || released) return
  const failed = before.filter(
    ({ state, operation }) => (state === 'FAILED' || state === 'REFUSED') && operation !== 'SUCCEEDED',
  ).length
  const allowed =
    typeof maxFailures === 'number'
      ? maxFailures
      : Math.floor((Number.parseInt(maxFailures, 10) * before.length) / 100)
  if (failed > allowed) breaks('a wave waits for its gate', `${what}: ${failed} of ${before.length} failed`)
  for (const { attempts, succeeded } of plugins)
    if (succeeded * 100 < minPluginSuccess * attempts)
      breaks('a wave waits for its gate', `${what}: ${succeeded} of ${attempts} attempts succeeded`)
  const last = Math.max(...before.map(({ endedAt, finishedAt }) => Math.max(endedAt, finishedAt ?? endedAt)))
  // milliseconds as floating point numbers
  if (at - last < soakSeconds * 1000 - 0.01)
    breaks('a wave waits for its soak time', `${what}: ${at - last} ms of ${soakSeconds} s`)
}
