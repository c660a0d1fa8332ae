-- Failures with the same cause, over all bundles and installations: the same plugin, code and shape of the message, and the same
-- next step. A cause is worked on by a person, and is remembered when none of its operations is failed any more.

-- The message without what differs between operations: quoted values, addresses, identifiers, and numbers with their units.
-- Not what the database takes for a letter or a digit, because that depends on its locale. docs/runtime-api.md#causes
create or replace function runtime.failure_shape(message text) returns text
  language plpgsql immutable strict set search_path = '' as $$
declare
  word constant text := '[A-Za-z0-9_\u00c0-\u024f\u0370-\u03ff\u0400-\u04ff]';
  shape text := message;
begin
  -- the digits of other scripts
  shape := regexp_replace(shape, '[\u0660-\u0669\u06f0-\u06f9\u07c0-\u07c9\u0966-\u096f\u09e6-\u09ef\u0a66-\u0a6f\u0ae6-\u0aef\u0b66-\u0b6f\u0be6-\u0bef\u0c66-\u0c6f\u0ce6-\u0cef\u0d66-\u0d6f\u0de6-\u0def\u0e50-\u0e59\u0ed0-\u0ed9\u0f20-\u0f29\u1040-\u1049\u1090-\u1099\u17e0-\u17e9\u1810-\u1819\uff10-\uff19]', '0', 'g');
  shape := regexp_replace(shape, '[〇零一二三四五六七八九十百千万亿两]+(?=[个次秒分钟小时天元条件名位台项年月日号])', '0', 'g');
  shape := regexp_replace(shape, '"[^"]*"|“[^”]*”|„[^“”]*[“”]|‘[^’]*’|«[^»]*»|`[^`]*`|「[^」]*」|『[^』]*』|(?<!' || word || ')''[^'']*''(?!' || word || ')', '…', 'g');
  shape := regexp_replace(shape, '[A-Za-z][A-Za-z0-9+.-]*://[!-~\u00a1-\u024f]*[A-Za-z0-9/_~=&-]|[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*', '…', 'g');
  -- IPv6 and MAC addresses, and times
  shape := regexp_replace(shape, '(?<![0-9A-Za-z:])[0-9A-Fa-f]{0,4}(:[0-9A-Fa-f]{0,4}){2,7}(?![0-9A-Za-z:])', '0', 'g');
  -- a UUID, or a part of one: groups without a digit belong to it
  shape := regexp_replace(shape, '(?<![0-9A-Za-z])[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}(?![0-9A-Za-z])', '0', 'g');
  shape := regexp_replace(shape, '(?<![0-9A-Za-z_-])(?=[A-Fa-f-]*[0-9])[0-9A-Fa-f]{2,}(-[0-9A-Fa-f]{2,})+-?(?![0-9A-Za-z_-])', '0', 'g');
  shape := regexp_replace(shape, '(?<!' || word || ')([0-9a-f]{8,}|[0-9A-F]{8,})(?!' || word || ')', '0', 'g');
  -- signed tokens, padded base64, and long identifiers of mixed characters
  shape := regexp_replace(shape, 'eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*|(?<![A-Za-z0-9+/])([A-Za-z0-9+/]{4})+([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)(?![A-Za-z0-9=])', '0', 'g');
  shape := regexp_replace(shape, '(?<![A-Za-z0-9+/_-])(?=[A-Za-z+/_-]*[0-9])(?=[A-Za-z0-9+/_-]{20})([A-Za-z0-9+/_-]*([a-z][A-Z]|[A-Z][a-z]|[0-9][A-Za-z]|[A-Za-z][0-9])){6}[A-Za-z0-9+/_-]*', '0', 'g');
  shape := regexp_replace(shape, word || '*[0-9]' || word || '*', '#', 'g');
  shape := regexp_replace(shape, '#([-.:/,+\u066b\u066c]#)+', '#', 'g');
  shape := regexp_replace(shape, '(^|[[:space:](=])[-+−±]#', '\1#', 'g');
  shape := regexp_replace(shape, '#[ \u00a0]?(µs|μs|ms|s|secs?|seconds?|min|mins|minutes?|h|hrs?|hours?|d|days?|[KkMGT]i?B|B|bytes?|%|€|\$|£|¥|°C|毫秒|秒|分钟|分|小时|天|字节)(?!' || word || ')', '#', 'g');
  shape := regexp_replace(shape, '# (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? #', '#', 'g');
  -- lists of any length
  shape := regexp_replace(regexp_replace(shape, '#([-.:/,+、，]?[ ]?#)+', '#', 'g'), '…(([,、，]| and|和)?[ ]?…)+', '…', 'g');
  return btrim(regexp_replace(shape, '[[:space:]]+', ' ', 'g'));
end $$;

create table runtime.cause (
  cause_id text primary key,
  -- null if the runtime itself failed
  plugin_id text,
  -- of the last attempt
  error_code text not null,
  -- of the messages of its failures
  shape text not null,
  state text not null default 'NEW' check (state in ('NEW', 'TAKEN', 'WAITING', 'SOLVED')),
  assignee_id text,
  assignee_name text,
  -- whom or what it waits for
  waiting_for text,
  -- when the present failures began; earlier ones are what is remembered
  opened_at timestamptz not null,
  -- the first success after a retry, or when a person said so; before opened_at it is what is remembered
  solved_at timestamptz,
  solved_by json,
  updated_at timestamptz not null default clock_timestamp()
);
create index cause_state on runtime.cause (state);
create index cause_assignee on runtime.cause (assignee_id) where assignee_id is not null;

create table runtime.cause_note (
  cause_id text not null references runtime.cause,
  -- from 1, without gaps
  number int not null,
  author_id text not null,
  author_name text not null,
  at timestamptz not null default clock_timestamp(),
  text text not null,
  primary key (cause_id, number)
);

-- Each failure of an operation; one that is retried can fail again. It stays when the operation is removed.
create table runtime.cause_failure (
  operation_id uuid not null,
  run integer not null,
  cause_id text not null references runtime.cause,
  scope_id bigint not null references runtime.scope,
  environment_key text not null,
  failed_at timestamptz not null,
  primary key (operation_id, run)
);
create index cause_failure_cause on runtime.cause_failure (cause_id, failed_at, scope_id, environment_key, operation_id);
create index cause_failure_scope on runtime.cause_failure (scope_id);

alter table runtime.operation add column cause_id text;

-- The key of a cause. The reason, the status, `retryable`, `readsWrites` and `refusedHere` decide who acts next, which is the same
-- for the whole cause; that a person stopped the automatic retries does not.
create function runtime.cause_of(failure json) returns text
  language sql immutable set search_path = ''
  return left(encode(sha256(convert_to(jsonb_build_array(
    failure -> 'errorPath' ->> 1,
    coalesce(failure ->> 'attemptCode', failure ->> 'errorCode'),
    failure ->> 'retryable',
    failure -> 'parameters' ->> 'reason',
    failure -> 'parameters' ->> 'status',
    failure -> 'readsWrites' is not null,
    failure -> 'refusedHere' ->> 'rule',
    runtime.failure_shape(failure ->> 'message'))::text, 'UTF8')), 'hex'), 32);

-- The trigger has the name under which earlier versions know it; their replicas group by `failure_group`.
create or replace function runtime.set_failure_group() returns trigger
  language plpgsql set search_path = '' as $$
begin
  -- a failure that is only masked keeps its cause
  if tg_op = 'UPDATE' and old.cause_id is not null and old.failure is not null
    and new.run = old.run and new.state = old.state then
    return new;
  end if;
  new.cause_id = runtime.cause_of(new.failure);
  new.failure_group = new.cause_id;
  return new;
end $$;

-- Remembers a failure. A cause that was solved is new again; one that had not occurred for an hour begins again. Otherwise the row
-- of a known cause is not written: thousands of operations can fail at once.
create function runtime.remember_failure(failed runtime.operation) returns void
  language plpgsql set search_path = '' as $$
declare
  ended_at constant timestamptz := coalesce(failed.finished_at, clock_timestamp());
begin
  if not exists (select from runtime.cause where cause.cause_id = failed.cause_id) then
    insert into runtime.cause (cause_id, plugin_id, error_code, shape, opened_at)
    values (failed.cause_id, failed.failure -> 'errorPath' ->> 1,
      coalesce(failed.failure ->> 'attemptCode', failed.failure ->> 'errorCode'),
      runtime.failure_shape(failed.failure ->> 'message'), ended_at)
    on conflict do nothing;
  end if;
  update runtime.cause set
    opened_at = ended_at,
    state = case when state = 'SOLVED' then 'NEW' else state end,
    assignee_id = case when state = 'SOLVED' then null else assignee_id end,
    assignee_name = case when state = 'SOLVED' then null else assignee_name end,
    updated_at = clock_timestamp()
  where cause.cause_id = failed.cause_id and (state = 'SOLVED' or (
    opened_at < ended_at - interval '1 hour'
    and not exists (
      select from runtime.operation as other
      where other.cause_id = failed.cause_id and other.state = 'FAILED' and other.operation_id <> failed.operation_id)
    and not exists (
      select from runtime.cause_failure as earlier where earlier.cause_id = failed.cause_id
        and (earlier.failed_at >= ended_at - interval '1 hour' or earlier.operation_id = failed.operation_id))));
  insert into runtime.cause_failure (operation_id, run, cause_id, scope_id, environment_key, failed_at)
  values (failed.operation_id, failed.run, failed.cause_id, failed.scope_id, failed.environment_key, ended_at)
  on conflict do nothing;
end $$;

create function runtime.operation_failed() returns trigger
  language plpgsql set search_path = '' as $$
begin
  perform runtime.remember_failure(new);
  return null;
end $$;
create trigger operation_failed after update of state on runtime.operation
  for each row when (new.state = 'FAILED' and old.state <> 'FAILED' and new.cause_id is not null)
  execute function runtime.operation_failed();

-- The first success after a retry is what solved the causes of the operation's failures; they are solved once no operation is
-- failed with them.
create function runtime.operation_recovered() returns trigger
  language plpgsql set search_path = '' as $$
begin
  update runtime.cause set
    solved_at = case when solved_at >= opened_at then solved_at else coalesce(new.finished_at, clock_timestamp()) end,
    solved_by = case when solved_at >= opened_at then solved_by else (
      select json_build_object(
        'operationId', new.operation_id, 'run', new.run, 'reason', retry.reason,
        'by', json_build_object('id', retry.started_by_id, 'name', retry.started_by_name),
        'scope', json_build_object('environmentKey', new.environment_key,
          'applicationRuntimeId', new.application_runtime_id, 'workspaceId', new.workspace_id))
      from runtime.operation_retry as retry where retry.operation_id = new.operation_id and retry.run = new.run) end,
    state = case when is_last then 'SOLVED' else state end,
    waiting_for = case when is_last then null else waiting_for end,
    updated_at = clock_timestamp()
  from (
    select failed.cause_id, not exists (
      select from runtime.operation
      where operation.cause_id = failed.cause_id and (operation.state = 'FAILED'
        or (operation.state in ('PENDING', 'RUNNING', 'WAITING') and operation.run > 1))) as is_last
    from (select distinct cause_failure.cause_id from runtime.cause_failure where cause_failure.operation_id = new.operation_id) as failed
  ) as member
  where cause.cause_id = member.cause_id and state <> 'SOLVED' and (is_last or solved_at is null or solved_at < opened_at);
  return null;
end $$;
create trigger operation_recovered after update of state on runtime.operation
  for each row when (new.state = 'SUCCEEDED' and old.state <> 'SUCCEEDED' and new.run > 1)
  execute function runtime.operation_recovered();

-- everything that the counts of causes read
create index operation_cause on runtime.operation
  (cause_id, finished_at, operation_id, scope_id, environment_key, bundle_environment_key, bundle_id) where state = 'FAILED';
