-- Lists and counts at a million installations and ten million operations. The row of an operation changes several times
-- in its life, and each change costs an entry in every full index: so what only few operations are (failed, unfinished,
-- taken over) is in partial ones, and what never changes is indexed on the plan's row, which is written once.
drop index runtime.operation_state;
drop index runtime.operation_scope;
-- an installation has few, which (bundle_install_id, execution_sequence) finds
drop index runtime.operation_installation;
create index operation_scope on runtime.operation (scope_id, created_at desc, operation_id desc);
create index operation_requester on runtime.operation (requested_by_id, created_at desc, operation_id desc);
create index operation_bundle on runtime.operation (bundle_id, created_at desc, operation_id desc);
-- what is not well: all that is counted is in the index itself
create index operation_unsettled on runtime.operation
  (created_at desc, operation_id desc, state, operation_type, environment_key, scope_id)
  where state <> 'SUCCEEDED';
create index operation_error on runtime.operation
  ((failure ->> 'errorCode'), created_at desc, operation_id desc) where failure is not null;
-- people search by what they see of an id: its end
create index operation_plan_tail on runtime.operation_plan (right(operation_id::text, 8));

drop index runtime.installation_scope;
create index installation_scope on runtime.installation (scope_id, updated_at desc, bundle_install_id desc);
create index installation_bundle_newest on runtime.installation (bundle_id, updated_at desc, bundle_install_id desc);
create index installation_version on runtime.installation (version, updated_at desc, bundle_install_id desc);
create index installation_inactive on runtime.installation (state, updated_at desc, bundle_install_id desc)
  where state <> 'ACTIVE';
create index installation_tail on runtime.installation (right(bundle_install_id::text, 8));

-- Everybody who ever asked for an operation, to be searched by name.
create table runtime.requester (
  requested_by_id text not null,
  requested_by_name text not null,
  primary key (requested_by_id, requested_by_name)
);
insert into runtime.requester
  select distinct requested_by_id, requested_by_name from runtime.operation;

create function runtime.know_requester() returns trigger language plpgsql as $$
begin
  insert into runtime.requester values (new.requested_by_id, new.requested_by_name) on conflict do nothing;
  return null;
end $$;
create trigger operation_requester after insert on runtime.operation
  for each row execute function runtime.know_requester();

-- How many installations an environment has in each state: the sum of all rows of a kind. Each change is a row of its
-- own, so that nobody waits for anybody; the janitor folds them together.
create table runtime.installation_count (
  environment_key text not null,
  state text not null,
  count bigint not null
);
create index installation_count_environment on runtime.installation_count (environment_key, state);
insert into runtime.installation_count
  select environment_key, state, count(*) from runtime.installation group by 1, 2;

create function runtime.count_installation() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    insert into runtime.installation_count values (old.environment_key, old.state, -1);
  end if;
  insert into runtime.installation_count values (new.environment_key, new.state, 1);
  return null;
end $$;
create trigger installation_made after insert on runtime.installation
  for each row execute function runtime.count_installation();
create trigger installation_moved after update of state on runtime.installation
  for each row when (old.state <> new.state) execute function runtime.count_installation();

-- How many operations an environment made in an hour that is over. Operations are never deleted, so this never changes;
-- the janitor adds hours, and whatever is younger than `counted_until` is counted in the operations themselves.
create table runtime.operation_total (
  environment_key text not null,
  hour timestamptz not null,
  total bigint not null,
  primary key (environment_key, hour)
);
create table runtime.operation_counted (
  only_row boolean primary key default true check (only_row),
  counted_until timestamptz not null
);
insert into runtime.operation_counted (counted_until) values (date_trunc('hour', clock_timestamp(), 'UTC') - interval '1 hour');
insert into runtime.operation_total
  select environment_key, date_trunc('hour', created_at, 'UTC'), count(*)
  from runtime.operation
  where created_at < (select counted_until from runtime.operation_counted)
  group by 1, 2;
