-- -------- Inboxes --------

-- What a person follows.
create table runtime.follow (
  follow_id uuid primary key default gen_random_uuid(),
  person_id text not null,
  person_name text not null,
  kind text not null check (kind in ('operation', 'installation', 'scope', 'cause')),
  -- the id of the operation, the installation or the scope
  object_id text not null,
  scope_id bigint not null references runtime.scope,
  created_at timestamptz not null default clock_timestamp(),
  -- how long a failure may have no assignee; null for any time
  escalate_after_minutes integer,
  -- people with id and name; empty for the follower
  escalate_to json not null default '[]',
  unique (person_id, kind, object_id)
);
create index follow_object on runtime.follow (object_id, kind);
create index follow_escalation on runtime.follow (scope_id) where escalate_after_minutes is not null;

-- The notifications of people. They contain no text of operations, which is masked when it is read; nor rights: what a person may no
-- longer see is left out when the inbox is read.
create table runtime.inbox_notification (
  notification_id uuid primary key default gen_random_uuid(),
  person_id text not null,
  event text not null,
  because text not null check (because in ('requested', 'assigned', 'followed', 'listed')),
  -- what it reports, so that each is reported once
  subject text not null,
  operation_id uuid references runtime.operation on delete cascade,
  batch_id uuid references runtime.batch on delete cascade,
  by_id text,
  by_name text,
  at timestamptz not null default clock_timestamp(),
  read_at timestamptz,
  snoozed_until timestamptz,
  unique (person_id, event, subject)
);
create index inbox_notification_newest on runtime.inbox_notification (person_id, at desc, notification_id desc);
create index inbox_notification_unread on runtime.inbox_notification (person_id, at desc) where read_at is null and snoozed_until is null;
create index inbox_notification_snoozed on runtime.inbox_notification (snoozed_until) where snoozed_until is not null;
create index inbox_notification_operation on runtime.inbox_notification (operation_id) where operation_id is not null;
create index inbox_notification_batch on runtime.inbox_notification (batch_id) where batch_id is not null;
create index inbox_notification_age on runtime.inbox_notification (at);

-- Whom a change of an operation concerns, each once. Who requested a batch is notified of its end, not of each item.
create function runtime.concerned(changed runtime.operation)
  returns table (person_id text, because text)
  language sql stable set search_path = '' as $$
  select distinct on (person_id) person_id, because from (
    select (changed).requested_by_id as person_id, 'requested' as because, 1 as rank
    where not exists (select from runtime.batch_item as item where item.operation_id = (changed).operation_id)
    union all
    select (changed).assignee_id, 'assigned', 2 where (changed).assignee_id is not null
    union all
    select follow.person_id, 'followed', 3 from runtime.follow
    where (follow.kind, follow.object_id) in (
      ('operation', (changed).operation_id::text), ('installation', (changed).bundle_install_id::text),
      ('scope', (changed).scope_id::text))
  ) as all_reasons order by person_id, rank
$$;

create function runtime.notify_concerned() returns trigger
  language plpgsql set search_path = '' as $$
begin
  insert into runtime.inbox_notification (person_id, event, because, subject, operation_id, by_id, by_name)
  select concerned.person_id, case new.state when 'FAILED' then 'operation.failed' else 'operation.taken_over' end,
    concerned.because, new.operation_id || '/' || new.run, new.operation_id, successor.requested_by_id, successor.requested_by_name
  from runtime.concerned(new) as concerned
  left join runtime.operation as successor on successor.operation_id = new.taken_over_by
  -- who took it over knows it
  where concerned.person_id is distinct from successor.requested_by_id
  on conflict (person_id, event, subject) do nothing;
  return null;
end $$;
-- a takeover names its successor after it has made the operation free
create trigger operation_concerned after update of state, taken_over_by on runtime.operation
  for each row when ((new.state <> old.state and new.state = 'FAILED')
    or (old.taken_over_by is null and new.taken_over_by is not null))
  execute function runtime.notify_concerned();

-- A detached installation concerns who had it installed, and who follows it. Who detached it knows it; who was told that their
-- operation was taken over expects it.
create function runtime.notify_detached() returns trigger
  language plpgsql set search_path = '' as $$
begin
  insert into runtime.inbox_notification (person_id, event, because, subject, operation_id, by_id, by_name)
  select distinct on (concerned.person_id) concerned.person_id, 'installation.detached', concerned.because,
    new.bundle_install_id::text, detach.operation_id, detach.requested_by_id, detach.requested_by_name
  from (
    select * from runtime.operation
    where bundle_install_id = new.bundle_install_id and operation_type = 'DETACH'
    order by execution_sequence desc limit 1
  ) as detach
  cross join lateral (
    select requested_by_id as person_id, 'requested' as because, 1 as rank from runtime.operation
    where bundle_install_id = new.bundle_install_id and operation_type = 'INSTALL'
    union all
    select follow.person_id, 'followed', 2 from runtime.follow
    where (follow.kind, follow.object_id) in (
      ('installation', new.bundle_install_id::text), ('scope', new.scope_id::text))
  ) as concerned
  where concerned.person_id <> detach.requested_by_id and not exists (
    select from runtime.inbox_notification as told
    where told.person_id = concerned.person_id and told.event = 'operation.taken_over' and told.operation_id = detach.takes_over)
  order by concerned.person_id, concerned.rank
  on conflict (person_id, event, subject) do nothing;
  return null;
end $$;
create trigger installation_concerned after update of state on runtime.installation
  for each row when (new.state = 'DETACHED' and old.state <> 'DETACHED') execute function runtime.notify_detached();

create function runtime.notify_requester() returns trigger
  language plpgsql set search_path = '' as $$
begin
  insert into runtime.inbox_notification (person_id, event, because, subject, batch_id)
  values (new.requested_by_id, 'batch.finished', 'requested', new.batch_id::text, new.batch_id)
  on conflict (person_id, event, subject) do nothing;
  return null;
end $$;
create trigger batch_concerned after update of finished_at on runtime.batch
  for each row when (old.finished_at is null and new.finished_at is not null) execute function runtime.notify_requester();
