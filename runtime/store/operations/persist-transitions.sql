/*
The statement that advances operations, with all optional parts; a real statement has only the parts that it needs.
It is written in persist-transitions.ts and the files that it imports. persist-transitions.test.ts checks this text.

lease, held      the leases of the worker that still hold, locked
answer … unsure  the answers that came; unsure are operations for which an answer was recorded before
beginning, stale the attempts to start; stale are operations that are paused, or whose plugin is paused or registered differently now
confirmed        held operations whose state is what the worker assumed: only these are changed below
failing          calls that fail without being sent
put              the ledger after RESOURCES
called, begun    the attempts that start
settled          the installations of operations that succeeded
target, moved    the operations themselves, and the events of those that moved
unmoved          operations whose row does not change, and their events
*/

with lease as (select * from unnest(
    $1::uuid[],
    $2::text[],
    $3::bigint[]) as lease (operation_id, owner, epoch)
),

held as materialized (
  select operation.*
  from lease cross join lateral (
    select operation_id, scope_id, paused from runtime.operation where (
      operation.operation_id = lease.operation_id
      and operation.lease_owner = lease.owner
      and operation.lease_epoch = lease.epoch
      and operation.available_at > clock_timestamp())
    for no key update of operation skip locked
  ) as operation
),

answer as (
  select * from unnest(
    $4::uuid[],
    $5::text[],
    $6::text[],
    $7::integer[],
    $8::text[],
    $9::text[],
    $10::integer[],
    $11::text[],
    $12::text[],
    $13::float8[],
    $14::float8[],
    $15::float8[],
    $16::float8[],
    $17::boolean[],
    $18::boolean[],
    $19::text[],
    $20::text[],
    $21::timestamptz[])
  as answer (operation_id, stage, plugin_id, attempt, outcome, failure, http_status, response, wire,
    sent_ms, connected_ms, answered_ms, ended_ms, ended_well, failed, last_failure, writes, next_attempt_at)
),

kept as materialized (
  -- planned for one row: for the ten of a list the planner would scan a table that is still small, and keep that plan
  select answer.* from answer join held using (operation_id)
),

finished as (
  update runtime.attempt
  set finished_at = clock_timestamp(), late = false, outcome = kept.outcome, failure = kept.failure::json,
  http_status = kept.http_status, response = kept.response::json, wire = kept.wire::json,
  sent_ms = kept.sent_ms, connected_ms = kept.connected_ms, answered_ms = kept.answered_ms, ended_ms = kept.ended_ms
  from kept
  where attempt.operation_id = kept.operation_id and attempt.stage = kept.stage
  -- not by the index of plugins, which a plan that was made for an empty table would read whole
  and attempt.plugin_id || '' = kept.plugin_id and attempt.attempt = kept.attempt
  and attempt.finished_at is null
  returning attempt.operation_id, attempt.stage, attempt.plugin_id
),

recorded as (
  update runtime.plugin_call
  set outcome = answer.outcome, ended_well = answer.ended_well, failed = answer.failed,
  last_failure = answer.last_failure::json, writes = answer.writes::json,
  next_attempt_at = answer.next_attempt_at
  from finished join answer using (operation_id, stage, plugin_id)
  where plugin_call.operation_id = finished.operation_id and plugin_call.stage = finished.stage
  and plugin_call.plugin_id = finished.plugin_id and not plugin_call.ended_well
  returning plugin_call.operation_id, plugin_call.stage, plugin_call.plugin_id
),

unsure as (
  select answer.operation_id from answer left join recorded using (operation_id, stage, plugin_id)
  where recorded.operation_id is null
),

beginning as (
  select * from unnest(
    $22::uuid[],
    $23::text[],
    $24::text[],
    $25::integer[],
    $26::integer[],
    $27::bigint[],
    $28::timestamptz[],
    $29::boolean[],
    $30::boolean[],
    $31::bytea[],
    $32::text[],
    $33::integer[],
    $34::integer[],
    $35::integer[],
    $36::boolean[])
  as beginning (operation_id, stage, plugin_id, attempt, run, epoch, due_at, is_first, follows_answer,
    bytes, endpoint, timeout_ms, max_attempts, max_backoff_ms, retired)
),

stale as (
  select beginning.operation_id
  from beginning join held using (operation_id) left join runtime.plugin on plugin.plugin_id = beginning.plugin_id
  and not plugin.paused
  and (plugin.enabled or plugin.retired_at is not null)
  and (plugin.retired_at is not null) = beginning.retired
  and plugin.endpoint = beginning.endpoint
  and plugin.timeout_ms is not distinct from beginning.timeout_ms
  and plugin.max_attempts is not distinct from beginning.max_attempts
  and plugin.max_backoff_ms is not distinct from beginning.max_backoff_ms
  where plugin.plugin_id is null or held.paused
),

confirmed as (select operation_id from held where true and not exists (select from unsure as other where other.operation_id = held.operation_id) and not exists (select from stale as other where other.operation_id = held.operation_id)),
failing as (
  update runtime.plugin_call
  set failed = true, last_failure = failing.failure::json, next_attempt_at = null
  from unnest(
    $37::uuid[],
    $38::text[],
    $39::text[],
    $40::text[])
  as failing (operation_id, stage, plugin_id, failure)
  join confirmed using (operation_id)
  where plugin_call.operation_id = failing.operation_id and plugin_call.stage = failing.stage
  and plugin_call.plugin_id = failing.plugin_id and not plugin_call.ended_well
),

put as (
  insert into runtime.installed_resource
  (bundle_install_id, locator, scope_id, kind, title, module_id, version, definitions, written_by, properties)
  select bundle_install_id, locator, scope_id, kind, title, module_id, version,
  definitions::json, written_by::json, properties::jsonb
  from unnest(
    $41::uuid[],
    $42::uuid[],
    $43::text[],
    $44::bigint[],
    $45::text[],
    $46::text[],
    $47::text[],
    $48::text[],
    $49::text[],
    $50::text[],
    $51::text[])
  as putting (operation_id, bundle_install_id, locator, scope_id, kind, title, module_id, version, definitions,
    written_by, properties)
  join confirmed using (operation_id)
  on conflict (bundle_install_id, locator) do update
  set title = excluded.title, module_id = excluded.module_id, version = excluded.version,
  definitions = excluded.definitions, written_by = excluded.written_by,
  properties = excluded.properties || case when installed_resource.properties ? $52
  then jsonb_build_object($53::text,
    installed_resource.properties -> $54)
  else '{}' end,
  verified_at = clock_timestamp()
),

called as (
  update runtime.plugin_call
  set attempts = beginning.attempt, run_attempts = run_attempts + 1, next_attempt_at = null,
  request = coalesce(request, beginning.bytes)
  from beginning join confirmed using (operation_id)
  where plugin_call.operation_id = beginning.operation_id and plugin_call.stage = beginning.stage
  and plugin_call.plugin_id = beginning.plugin_id
  and plugin_call.attempts = beginning.attempt - 1 and not plugin_call.ended_well
  returning beginning.operation_id, beginning.stage, beginning.plugin_id, beginning.attempt, beginning.run,
  beginning.epoch, beginning.due_at, beginning.is_first, beginning.follows_answer, beginning.retired
),

begun as (
  insert into runtime.attempt (operation_id, stage, plugin_id, attempt, run, lease_epoch, by_platform, due_at)
  select operation_id, stage, plugin_id, attempt, run, epoch, retired,
  case when not is_first then due_at when follows_answer then clock_timestamp() else coalesce(
    (select max(finished_at) from runtime.attempt as earlier
      where earlier.operation_id = called.operation_id and earlier.run = called.run and not earlier.late),
    (select coalesce(run_started_at, created_at) from runtime.operation
      where operation.operation_id = called.operation_id)) end
  from called
  returning operation_id
),

settled as (
  update runtime.installation
  set state = coalesce(settled.state, installation.state),
  version = coalesce(settled.version, installation.version),
  updated_at = clock_timestamp()
  from unnest(
    $55::uuid[],
    $56::uuid[],
    $57::text[],
    $58::text[])
  as settled (operation_id, bundle_install_id, state, version)
  join confirmed using (operation_id)
  where installation.bundle_install_id = settled.bundle_install_id
),

target as (
  select operation_id, state, phase, failure, keeps_lease, is_new_state, next_plugin,
  coalesce(until, clock_timestamp() + due_in_ms * interval '1 millisecond') as due_at
  from unnest(
    $59::uuid[],
    $60::text[],
    $61::text[],
    $62::text[],
    $63::timestamptz[],
    $64::float8[],
    $65::boolean[],
    $66::boolean[],
    $67::text[])
  as target (operation_id, state, phase, failure, until, due_in_ms, keeps_lease, is_new_state, next_plugin)
),

moved as (
  update runtime.operation
  set state = target.state,
  phase = target.phase,
  failure = target.failure::json,
  holds_claim = target.state <> 'SUCCEEDED',
  lease_owner = case when target.keeps_lease then operation.lease_owner end,
  finished_at = case when target.state in ('SUCCEEDED', 'FAILED') then clock_timestamp() end,
  next_attempt_at = case when target.state = 'WAITING' then target.due_at end,
  available_at = coalesce(target.due_at, operation.available_at),
  next_plugin = coalesce(target.next_plugin, operation.next_plugin)
  from target join confirmed using (operation_id) join lease using (operation_id)
  where operation.operation_id = target.operation_id
  and operation.lease_owner = lease.owner and operation.lease_epoch = lease.epoch
  returning operation.operation_id, operation.bundle_install_id, operation.scope_id, target.is_new_state
),

event as (
  insert into runtime.event (kind, scope_id, object_id)
  select 'operation', scope_id, operation_id::text from moved
  union all
  select 'installation', scope_id, bundle_install_id::text from moved where is_new_state
),

unmoved as (
  select operation_id, held.scope_id
  from unnest($68::uuid[]) as reported (operation_id)
  join confirmed using (operation_id) join held using (operation_id)
),

unmoved_event as (
  insert into runtime.event (kind, scope_id, object_id)
  select 'operation', scope_id, operation_id::text from unmoved
)
select array(select operation_id from moved union all select operation_id from unmoved)::text[] as moved,
array(select operation_id from begun)::text[] as begun
