-- A cause ends too when its last failure was taken over: by the DETACH that succeeded, or better by the INSTALL of the same bundle in
-- the same scope that succeeds after it.

-- the failures that such a success may end; few operations are taken over
create index operation_taken_over on runtime.operation (scope_id, bundle_id, bundle_environment_key) where state = 'TAKEN_OVER';

-- The failures of what was taken over before an operation succeeded, as far as they are among the present ones of their causes.
create function runtime.taken_over_before(succeeded runtime.operation) returns setof runtime.cause_failure
  language sql stable set search_path = '' as $$
  select failure.* from runtime.operation as taken
  join runtime.cause_failure as failure on failure.operation_id = taken.operation_id
  join runtime.cause on cause.cause_id = failure.cause_id and cause.opened_at <= failure.failed_at
  where taken.state = 'TAKEN_OVER' and taken.scope_id = (succeeded).scope_id and taken.bundle_id = (succeeded).bundle_id
    and taken.bundle_environment_key = (succeeded).bundle_environment_key
    and ((succeeded).operation_type = 'INSTALL'
      or ((succeeded).takes_over is not null and taken.bundle_install_id = (succeeded).bundle_install_id))
$$;

-- Records what solved a cause: the first success after a retry; of what was taken over, a later INSTALL, or the DETACH if no operation is
-- failed with the cause any more. A cause is solved once no operation is failed with it. Returns false, and changes nothing, if somebody
-- else is changing the cause.
create or replace function runtime.solve_cause(key text, succeeded runtime.operation) returns boolean
  language plpgsql set search_path = '' as $$
declare
  known runtime.cause;
  is_last boolean;
  is_install constant boolean := succeeded.operation_type = 'INSTALL';
  is_retry constant boolean := succeeded.run > 1 and exists (
    select from runtime.cause_failure as own where own.operation_id = succeeded.operation_id and own.cause_id = key);
  is_better boolean;
begin
  select * into known from runtime.cause where cause.cause_id = key for no key update skip locked;
  if not found then
    return not exists (select from runtime.cause where cause.cause_id = key);
  end if;
  is_last := not exists (
    select from runtime.operation
    where operation.cause_id = key and (operation.state = 'FAILED'
      or (operation.state in ('PENDING', 'RUNNING', 'WAITING') and operation.run > 1)));
  if known.solved_at is null or known.solved_at < known.opened_at then
    is_better := is_retry or is_install or is_last;
  else
    -- an INSTALL says more than the DETACH that made room for it; what a person or a retry did says more than either
    is_better := is_install and not is_retry and exists (
      select from runtime.operation as detach
      where detach.operation_id = (known.solved_by ->> 'operationId')::uuid and detach.operation_type = 'DETACH'
        and detach.takes_over is not null);
  end if;
  update runtime.cause set
    solved_at = case when is_better then coalesce(succeeded.finished_at, clock_timestamp()) else solved_at end,
    solved_by = case when not is_better then solved_by else (
      select json_build_object(
        'operationId', succeeded.operation_id, 'run', succeeded.run,
        'reason', case when is_retry then retry.reason else succeeded.reason end,
        'by', json_build_object('id', coalesce(retry.started_by_id, succeeded.requested_by_id),
          'name', coalesce(retry.started_by_name, succeeded.requested_by_name)),
        'scope', json_build_object('environmentKey', succeeded.environment_key,
          'applicationRuntimeId', succeeded.application_runtime_id, 'workspaceId', succeeded.workspace_id))
      from (select 1) as one left join runtime.operation_retry as retry
        on is_retry and retry.operation_id = succeeded.operation_id and retry.run = succeeded.run) end,
    state = case when is_last then 'SOLVED' else state end,
    waiting_for = case when is_last then null else waiting_for end,
    updated_at = clock_timestamp()
  where cause.cause_id = key and (is_better or (is_last and state <> 'SOLVED'));
  return true;
end $$;

create or replace function runtime.operation_recovered() returns trigger
  language plpgsql set search_path = '' as $$
declare
  ended record;
begin
  for ended in
    select failed.cause_id, array_agg(failed.operation_id) as operation_ids
    from (
      select cause_id, operation_id from runtime.cause_failure
      where cause_failure.operation_id = new.operation_id and new.run > 1
      union
      select cause_id, operation_id from runtime.taken_over_before(new)
    ) as failed
    group by failed.cause_id order by failed.cause_id
  loop
    if not runtime.solve_cause(ended.cause_id, new) then
      update runtime.cause_failure set pending = true
      where cause_failure.operation_id = any(ended.operation_ids) and cause_failure.cause_id = ended.cause_id;
    end if;
  end loop;
  return null;
end $$;
create or replace trigger operation_recovered after update of state on runtime.operation
  for each row when (new.state = 'SUCCEEDED' and old.state <> 'SUCCEEDED'
    and (new.run > 1 or new.operation_type = 'INSTALL' or new.takes_over is not null))
  execute function runtime.operation_recovered();

-- Applies failures and successes that were left pending, each if nobody holds its cause. Returns how many; at most `most`.
create or replace function runtime.settle_causes(most integer) returns integer
  language plpgsql set search_path = '' as $$
declare
  noted runtime.cause_failure;
  ended runtime.operation;
  solution runtime.operation;
  failure json;
  settled integer := 0;
begin
  for noted in
    select * from runtime.cause_failure where pending
    order by cause_id, operation_id, run limit most for no key update skip locked
  loop
    select * into ended from runtime.operation where operation.operation_id = noted.operation_id;
    failure := coalesce(
      (select retry.failure from runtime.operation_retry as retry
        where retry.operation_id = noted.operation_id and retry.run = noted.run + 1),
      ended.failure);
    if failure is not null
      and ((ended.state = 'FAILED' and ended.run = noted.run)
        or not exists (select from runtime.cause where cause.cause_id = noted.cause_id))
      and not runtime.open_cause(noted.cause_id, noted.operation_id, noted.run, failure, noted.failed_at) then
      continue;
    end if;
    solution := ended;
    if ended.state = 'TAKEN_OVER' then
      -- the INSTALL after it, or else the DETACH
      select * into solution from runtime.operation as later
      where later.state = 'SUCCEEDED' and later.scope_id = ended.scope_id and later.bundle_id = ended.bundle_id
        and later.bundle_environment_key = ended.bundle_environment_key and later.created_at > ended.created_at
        and (later.operation_type = 'INSTALL'
          or (later.takes_over is not null and later.bundle_install_id = ended.bundle_install_id))
      order by later.operation_type = 'INSTALL' desc, later.created_at limit 1;
    end if;
    if solution.state = 'SUCCEEDED' and (solution.run > 1 or ended.state = 'TAKEN_OVER')
      and not runtime.solve_cause(noted.cause_id, solution) then
      continue;
    end if;
    update runtime.cause_failure set pending = false
    where cause_failure.operation_id = noted.operation_id and cause_failure.run = noted.run;
    settled := settled + 1;
  end loop;
  return settled;
end $$;

-- what was taken over until now
update runtime.cause set state = 'SOLVED', waiting_for = null, updated_at = clock_timestamp()
where state <> 'SOLVED'
  and not exists (
    select from runtime.operation
    where operation.cause_id = cause.cause_id and operation.state <> 'SUCCEEDED'
      and (operation.state = 'FAILED' or (operation.state in ('PENDING', 'RUNNING', 'WAITING') and operation.run > 1)))
  and exists (
    select from runtime.cause_failure as failure join runtime.operation as taken using (operation_id)
    where failure.cause_id = cause.cause_id and taken.state = 'TAKEN_OVER');
