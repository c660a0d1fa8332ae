-- A cause can be followed: what fails with it, and that it is solved. It is in many scopes, so such a follow has none. Both tables grow
-- and shrink as before.
alter table runtime.follow
  alter column scope_id drop not null,
  add constraint follow_scope check ((scope_id is null) = (kind = 'cause')),
  -- Nobody tells the runtime that a follower may no longer read what they follow, so an escalation has an end.
  add column escalates_until timestamptz;
update runtime.follow set escalates_until = clock_timestamp() + interval '90 days' where escalate_after_minutes is not null;
-- looked for every few seconds, also for those that end
drop index runtime.follow_escalation;
create index follow_escalation on runtime.follow (escalates_until) where escalate_after_minutes is not null;

-- a row of a cause is never deleted, and checking that it exists would lock it
alter table runtime.inbox_notification add column cause_id text;

create or replace function runtime.concerned(changed runtime.operation)
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
      ('scope', (changed).scope_id::text), ('cause', (changed).cause_id))
  ) as all_reasons order by person_id, rank
$$;

-- A cause that was solved concerns its followers, except who solved it. Who retried an operation is not named: the retry may be in a scope
-- that the follower may not read.
create function runtime.notify_solved() returns trigger
  language plpgsql set search_path = '' as $$
declare
  is_said constant boolean := new.solved_by ->> 'operationId' is null;
begin
  insert into runtime.inbox_notification (person_id, event, because, subject, cause_id, by_id, by_name)
  select follow.person_id, 'cause.solved', 'followed', new.cause_id || '/' || new.updated_at, new.cause_id,
    case when is_said then new.solved_by -> 'by' ->> 'id' end, case when is_said then new.solved_by -> 'by' ->> 'name' end
  from runtime.follow
  where follow.kind = 'cause' and follow.object_id = new.cause_id
    and follow.person_id is distinct from new.solved_by -> 'by' ->> 'id'
  on conflict (person_id, event, subject) do nothing;
  return null;
end $$;
create trigger cause_solved after update of state on runtime.cause
  for each row when (new.state = 'SOLVED' and old.state <> 'SOLVED') execute function runtime.notify_solved();
