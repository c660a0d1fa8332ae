-- The health of a plugin reads its newest attempts in a range of time. No column here changes when an attempt ends, so that
-- update stays a heap-only one.
create index attempt_plugin on runtime.attempt (plugin_id, started_at);

-- Since when a plugin has had each of its endpoints, to compare its calls before and after a change. A trigger writes it, so
-- that it is complete while replicas of an earlier version run.
create table runtime.plugin_endpoint (
  plugin_id text not null references runtime.plugin,
  since timestamptz not null default clock_timestamp(),
  endpoint text not null,
  primary key (plugin_id, since)
);

create function runtime.record_endpoint() returns trigger
  language plpgsql set search_path = '' as $$
begin
  insert into runtime.plugin_endpoint (plugin_id, endpoint) values (new.plugin_id, new.endpoint);
  return null;
end $$;
create trigger plugin_registered after insert on runtime.plugin
  for each row execute function runtime.record_endpoint();
create trigger plugin_endpoint_changed after update of endpoint on runtime.plugin
  for each row when (old.endpoint <> new.endpoint) execute function runtime.record_endpoint();

insert into runtime.plugin_endpoint (plugin_id, since, endpoint)
select plugin_id, updated_at, endpoint from runtime.plugin;
