-- -------- Change requests --------

-- A change that others look at before it is made. They grow by people's work, and stay: they say who approved what.
create table runtime.change_request (
  change_request_id uuid primary key,
  kind text not null,
  title text not null,
  reason text,
  state text not null,
  revision integer not null default 1,
  -- sealed: the input, which may contain sensitive values, what it is based on, and the key of its digests
  content bytea not null,
  -- the input for display, without sensitive values
  shown_input json not null,
  -- null for a batch
  environment_key text,
  application_runtime_id text,
  workspace_id bigint,
  bundle_install_id uuid,
  -- the snapshot that it was merged with last; null if it names no value of a configuration
  base_snapshot bigint,
  -- the digest of what it would do, as last evaluated; null if that cannot be said
  effect text,
  -- what the policies asked for when it was submitted
  approvals_needed integer not null default 0,
  -- where somebody else has saved what it changes
  conflicts json not null default '[]',
  not_before timestamptz,
  not_after timestamptz,
  time_zone text,
  created_by_id text not null,
  created_by_name text not null,
  -- all who wrote it: their approvals do not count
  author_ids text[] not null,
  -- its author with the grants that it needs, when it was written or scheduled last
  actor json not null,
  operation_ids uuid[] not null default '{}',
  batch_id uuid,
  overridden boolean not null default false,
  -- why it was refused, or has expired
  code text,
  message text,
  parameters json,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz
);
create index change_request_newest on runtime.change_request (created_at desc, change_request_id desc);
create index change_request_state on runtime.change_request (state, created_at desc, change_request_id desc);
create index change_request_place on runtime.change_request (environment_key, application_runtime_id, workspace_id, created_at desc);
create index change_request_installation on runtime.change_request (bundle_install_id, created_at desc) where bundle_install_id is not null;
create index change_request_author on runtime.change_request (created_by_id, created_at desc);
create index change_request_scheduled on runtime.change_request (not_before) where not_after is not null and ended_at is null;
create index change_request_applying on runtime.change_request (updated_at) where state = 'APPLYING';

-- The scopes that it changes, for who may see it and which policies apply.
create table runtime.change_request_scope (
  change_request_id uuid not null references runtime.change_request on delete cascade,
  environment_key text not null,
  application_runtime_id text not null,
  workspace_id bigint not null,
  primary key (change_request_id, environment_key, application_runtime_id, workspace_id)
);

-- The last approval of each person.
create table runtime.change_approval (
  change_request_id uuid not null references runtime.change_request on delete cascade,
  approver_id text not null,
  approver_name text not null,
  at timestamptz not null default clock_timestamp(),
  revision integer not null,
  effect text not null,
  -- what they saw, without sensitive values
  shown json not null,
  comment text,
  primary key (change_request_id, approver_id)
);

-- What happened to it, and what people said about it; at most 1,000 of each request.
create table runtime.change_entry (
  change_request_id uuid not null references runtime.change_request on delete cascade,
  number integer not null,
  at timestamptz not null default clock_timestamp(),
  by_id text not null,
  by_name text not null,
  event text not null,
  revision integer not null,
  text text,
  target json,
  primary key (change_request_id, number)
);

-- Which changes of an environment need approvals. Without a row: none.
create table runtime.change_policy (
  environment_key text primary key,
  required_for text[] not null,
  approvals integer not null,
  updated_at timestamptz not null default clock_timestamp()
);

-- The change request that started it.
alter table runtime.operation add column change_request_id uuid;
alter table runtime.batch add column change_request_id uuid;

-- Reports to webhooks what happens to a change request. Only names, ids and states: texts could quote a value of a property. A webhook
-- hears of it if it covers one of its scopes.
create function runtime.change_entered() returns trigger
  language plpgsql set search_path = '' as $$
declare
  reported text := case new.event when 'SUBMITTED' then 'change.requested' when 'APPROVED' then 'change.approved'
    when 'REJECTED' then 'change.rejected' when 'CONFLICTED' then 'change.conflicted' when 'APPLIED' then 'change.applied'
    when 'EXPIRED' then 'change.expired' when 'OVERRIDDEN' then 'change.overridden' end;
begin
  insert into runtime.webhook_delivery (webhook_id, event, subject, body)
  select webhook_id, reported, new.change_request_id || '/' || new.number,
    runtime.notification_body(reported, json_build_object(
      'changeRequestId', request.change_request_id, 'kind', request.kind, 'state', request.state,
      'by', json_build_object('id', new.by_id, 'name', new.by_name),
      'scope', case when request.environment_key is not null then json_build_object(
        'environmentKey', request.environment_key, 'applicationRuntimeId', request.application_runtime_id,
        'workspaceId', request.workspace_id) end))
  from runtime.webhook
  join runtime.change_request as request on request.change_request_id = new.change_request_id
  where enabled and reported = any(events) and exists (
    select from runtime.change_request_scope as place where place.change_request_id = new.change_request_id
      and runtime.webhook_covers(webhook, place.environment_key, place.application_runtime_id, place.workspace_id))
  for key share of webhook skip locked
  on conflict (webhook_id, event, subject) do nothing;
  return null;
end $$;
create trigger change_notification after insert on runtime.change_entry
  for each row when (new.event in ('SUBMITTED', 'APPROVED', 'REJECTED', 'CONFLICTED', 'APPLIED', 'EXPIRED', 'OVERRIDDEN'))
  execute function runtime.change_entered();
