-- Workers write causes in the statement that writes an operation, and must not wait there for the transaction of a person, nor for
-- each other. What somebody else has locked is left pending, and applied a few seconds later. Every replica looks for it.

-- A row of a scope or a cause is never deleted, and checking that it exists would lock it.
alter table runtime.cause_failure
  drop constraint cause_failure_cause_id_fkey,
  drop constraint cause_failure_scope_id_fkey,
  add column pending boolean not null default false;
create index cause_failure_pending on runtime.cause_failure (cause_id, operation_id, run) where pending;

-- Whether a failure makes a known cause new: it was solved, or had not occurred for an hour.
create function runtime.begins_again(known runtime.cause, failed_operation uuid, failed_run integer, ended_at timestamptz)
  returns boolean
  language sql stable set search_path = ''
  return (known).state = 'SOLVED' or (
    (known).opened_at < ended_at - interval '1 hour'
    and not exists (
      select from runtime.operation as other
      where other.cause_id = (known).cause_id and other.state = 'FAILED' and other.operation_id <> failed_operation)
    and not exists (
      select from runtime.cause_failure as earlier where earlier.cause_id = (known).cause_id
        and (earlier.operation_id, earlier.run) <> (failed_operation, failed_run)
        and (earlier.failed_at >= ended_at - interval '1 hour' or earlier.operation_id = failed_operation)));

-- Creates the cause of a failure, or makes it new again. Returns false, and changes nothing, if somebody else is creating or changing
-- it. The row of a cause that stays as it is is not written: thousands of operations can fail at once.
create function runtime.open_cause(
  key text, failed_operation uuid, failed_run integer, failure json, ended_at timestamptz) returns boolean
  language plpgsql set search_path = '' as $$
declare
  known runtime.cause;
begin
  select * into known from runtime.cause where cause.cause_id = key;
  if not found then
    -- an insert would wait for another one of the same cause
    if not pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended('bundle-console cause ' || key, 0)) then
      return false;
    end if;
    insert into runtime.cause (cause_id, plugin_id, error_code, shape, opened_at)
    values (key, failure -> 'errorPath' ->> 1, coalesce(failure ->> 'attemptCode', failure ->> 'errorCode'),
      runtime.failure_shape(failure ->> 'message'), ended_at)
    on conflict do nothing;
    if found then
      return true;
    end if;
  elsif not runtime.begins_again(known, failed_operation, failed_run, ended_at) then
    -- nobody is changing it, and nobody can until this failure is committed: it is not solved without it
    select * into known from runtime.cause where cause.cause_id = key for share skip locked;
    if not found then
      return false;
    elsif not runtime.begins_again(known, failed_operation, failed_run, ended_at) then
      return true;
    end if;
  end if;
  select * into known from runtime.cause where cause.cause_id = key for no key update skip locked;
  if not found then
    return false;
  end if;
  if runtime.begins_again(known, failed_operation, failed_run, ended_at) then
    update runtime.cause set
      opened_at = ended_at,
      state = case when state = 'SOLVED' then 'NEW' else state end,
      assignee_id = case when state = 'SOLVED' then null else assignee_id end,
      assignee_name = case when state = 'SOLVED' then null else assignee_name end,
      updated_at = clock_timestamp()
    where cause.cause_id = key;
  end if;
  return true;
end $$;

-- Remembers a failure.
create or replace function runtime.remember_failure(failed runtime.operation) returns void
  language plpgsql set search_path = '' as $$
declare
  ended_at constant timestamptz := coalesce(failed.finished_at, clock_timestamp());
  is_open constant boolean := runtime.open_cause(
    failed.cause_id, failed.operation_id, failed.run, failed.failure, ended_at);
begin
  insert into runtime.cause_failure (operation_id, run, cause_id, scope_id, environment_key, failed_at, pending)
  values (failed.operation_id, failed.run, failed.cause_id, failed.scope_id, failed.environment_key, ended_at, not is_open)
  on conflict do nothing;
end $$;

-- Records that an operation succeeded after a retry. The first success is what solved the causes of the operation's failures; they are
-- solved once no operation is failed with them. Returns false, and changes nothing, if somebody else is changing the cause.
create function runtime.solve_cause(key text, succeeded runtime.operation) returns boolean
  language plpgsql set search_path = '' as $$
declare
  known runtime.cause;
  is_last boolean;
begin
  select * into known from runtime.cause where cause.cause_id = key for no key update skip locked;
  if not found then
    return not exists (select from runtime.cause where cause.cause_id = key);
  end if;
  is_last := not exists (
    select from runtime.operation
    where operation.cause_id = key and (operation.state = 'FAILED'
      or (operation.state in ('PENDING', 'RUNNING', 'WAITING') and operation.run > 1)));
  update runtime.cause set
    solved_at = case when solved_at >= opened_at then solved_at else coalesce(succeeded.finished_at, clock_timestamp()) end,
    solved_by = case when solved_at >= opened_at then solved_by else (
      select json_build_object(
        'operationId', succeeded.operation_id, 'run', succeeded.run, 'reason', retry.reason,
        'by', json_build_object('id', retry.started_by_id, 'name', retry.started_by_name),
        'scope', json_build_object('environmentKey', succeeded.environment_key,
          'applicationRuntimeId', succeeded.application_runtime_id, 'workspaceId', succeeded.workspace_id))
      from runtime.operation_retry as retry
      where retry.operation_id = succeeded.operation_id and retry.run = succeeded.run) end,
    state = case when is_last then 'SOLVED' else state end,
    waiting_for = case when is_last then null else waiting_for end,
    updated_at = clock_timestamp()
  where cause.cause_id = key and state <> 'SOLVED' and (is_last or solved_at is null or solved_at < opened_at);
  return true;
end $$;

create or replace function runtime.operation_recovered() returns trigger
  language plpgsql set search_path = '' as $$
declare
  key text;
begin
  for key in
    select distinct cause_failure.cause_id from runtime.cause_failure
    where cause_failure.operation_id = new.operation_id order by 1
  loop
    if not runtime.solve_cause(key, new) then
      update runtime.cause_failure set pending = true
      where cause_failure.operation_id = new.operation_id and cause_failure.cause_id = key;
    end if;
  end loop;
  return null;
end $$;

-- Applies failures and successes that were left pending, each if nobody holds its cause. Returns how many; at most `most`.
create function runtime.settle_causes(most integer) returns integer
  language plpgsql set search_path = '' as $$
declare
  noted runtime.cause_failure;
  ended runtime.operation;
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
    if ended.state = 'SUCCEEDED' and ended.run > 1 and not runtime.solve_cause(noted.cause_id, ended) then
      continue;
    end if;
    update runtime.cause_failure set pending = false
    where cause_failure.operation_id = noted.operation_id and cause_failure.run = noted.run;
    settled := settled + 1;
  end loop;
  return settled;
end $$;
