-- Where to report what happens to operations and batches. A scope that is null in part stands for all of it.
create table runtime.webhook (
  webhook_id uuid primary key,
  title text not null,
  url text not null,
  events text[] not null,
  environment_key text,
  application_runtime_id text,
  workspace_id bigint,
  -- how long an operation is retried automatically before that is reported
  retrying_after_minutes integer not null,
  enabled boolean not null,
  -- sealed: the key of the signatures
  secret bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  -- since when no delivery has succeeded; null after a success
  failing_since timestamptz,
  -- why the platform disabled it; null if a person did
  disabled_because text check (disabled_because in ('FAILING', 'GONE'))
);

-- The outbox, and the log of what was sent. Rows are written by the triggers below, in the transaction of the change that
-- they report, so that none is lost and none reports what was rolled back.
create table runtime.webhook_delivery (
  delivery_id uuid primary key default gen_random_uuid(),
  webhook_id uuid not null references runtime.webhook on delete cascade,
  event text not null,
  -- what it reports, so that each is reported once
  subject text not null,
  operation_id uuid,
  batch_id uuid,
  -- the bytes that every attempt sends
  body text not null,
  state text not null default 'PENDING' check (state in ('PENDING', 'DELIVERED', 'FAILED')),
  attempts integer not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  available_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  last_status integer,
  last_error text,
  unique (webhook_id, event, subject)
);
create index webhook_delivery_due on runtime.webhook_delivery (webhook_id, available_at) where state = 'PENDING';
create index webhook_delivery_ended on runtime.webhook_delivery (ended_at) where state <> 'PENDING';
create index webhook_delivery_newest on runtime.webhook_delivery (webhook_id, created_at desc, delivery_id desc);

create function runtime.notification_body(event text, data json) returns text
  language sql set search_path = ''
  return json_build_object('type', event,
    'timestamp', to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'data', data)::text;

-- Whether a webhook is about a place.
create function runtime.webhook_covers(receiver runtime.webhook, environment text, application text, workspace bigint)
  returns boolean language sql immutable
  return coalesce(receiver.environment_key, environment) = environment
    and coalesce(receiver.application_runtime_id, application) = application
    and coalesce(receiver.workspace_id, workspace) = workspace;

-- The webhooks that report this event of an operation. With until_started, only those that wait no longer for a run that
-- started then.
create function runtime.webhooks_for(event text, changed runtime.operation, until_started timestamptz default null)
  returns setof runtime.webhook
  language sql stable set search_path = '' as $$
  select receiver.* from runtime.webhook as receiver
  where enabled and event = any(events)
    and runtime.webhook_covers(
      receiver, (changed).environment_key, (changed).application_runtime_id, (changed).workspace_id)
    and (until_started is null
      or until_started < clock_timestamp() - make_interval(mins => retrying_after_minutes))
$$;

-- Only names, ids and states: messages, reasons and a plugin's own code could quote a value of a property.
create function runtime.notify_operation(event text, changed runtime.operation, until_started timestamptz default null)
  returns void
  language sql set search_path = '' as $$
  insert into runtime.webhook_delivery (webhook_id, event, subject, operation_id, body)
  select webhook_id, event, (changed).operation_id || '/' || (changed).run, (changed).operation_id,
    runtime.notification_body(event, json_build_object(
      'operationId', (changed).operation_id,
      'operationType', (changed).operation_type,
      'state', (changed).state,
      'phase', (changed).phase,
      'run', (changed).run,
      'targetVersion', (changed).target_version,
      'errorCode', case when (changed).failure -> 'parameters' ->> 'reason' <> 'callFailedSilently'
        then (changed).failure ->> 'errorCode' end,
      'installation', json_build_object(
        'environmentKey', (changed).environment_key,
        'applicationRuntimeId', (changed).application_runtime_id,
        'workspaceId', (changed).workspace_id,
        'bundleInstallId', (changed).bundle_install_id,
        'bundle', json_build_object(
          'environmentKey', (changed).bundle_environment_key, 'bundleId', (changed).bundle_id))))
  from runtime.webhooks_for(event, changed, until_started)
  on conflict (webhook_id, event, subject) do nothing
$$;

create function runtime.operation_changed() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if new.state <> old.state and new.state = 'FAILED' then
    perform runtime.notify_operation('operation.failed', new);
  elsif new.state <> old.state and new.state = 'TAKEN_OVER' then
    perform runtime.notify_operation('operation.taken_over', new);
  end if;
  if old.in_doubt_since is null and new.in_doubt_since is not null then
    perform runtime.notify_operation('operation.in_doubt', new);
  end if;
  return null;
end $$;
create trigger operation_notification after update of state, in_doubt_since on runtime.operation
  for each row when (
    (new.state <> old.state and new.state in ('FAILED', 'TAKEN_OVER'))
    or (old.in_doubt_since is null and new.in_doubt_since is not null))
  execute function runtime.operation_changed();

create function runtime.batch_finished() returns trigger
  language plpgsql set search_path = '' as $$
begin
  -- a webhook counts the items of its own scope only
  insert into runtime.webhook_delivery (webhook_id, event, subject, batch_id, body)
  select webhook_id, 'batch.finished', new.batch_id::text, new.batch_id,
    runtime.notification_body('batch.finished', json_build_object(
      'batchId', new.batch_id, 'action', new.action, 'state', new.state, 'items', counted.items))
  from runtime.webhook
  cross join lateral (
    select json_object_agg(state, count) as items
    from (
      select item.state, count(*) as count
      from runtime.batch_item as item join runtime.scope as place using (scope_id)
      where item.batch_id = new.batch_id
        and runtime.webhook_covers(
          webhook, place.environment_key, place.application_runtime_id, place.workspace_id)
      group by item.state
    ) as states
  ) as counted
  where enabled and 'batch.finished' = any(events) and counted.items is not null
  on conflict (webhook_id, event, subject) do nothing;
  return null;
end $$;
create trigger batch_notification after update of finished_at on runtime.batch
  for each row when (old.finished_at is null and new.finished_at is not null)
  execute function runtime.batch_finished();
