-- What this platform refused plugins that read from it, so that a failure which such a plugin passes on can be explained. One row for
-- what is the same, with the first and the last time; the janitor removes old ones.
create table runtime.plugin_refusal (
  plugin_id text not null,
  endpoint text not null,
  rule text not null,
  -- the error code that the plugin got
  code text not null,
  -- null if there is no such installation, or the credential alone was refused
  bundle_install_id uuid,
  -- null if the installation has no such resource or property
  locator text,
  property text,
  -- the service that could not be used
  service_id text,
  first_at timestamptz not null default clock_timestamp(),
  last_at timestamptz not null default clock_timestamp(),
  refusals bigint not null,
  unique nulls not distinct (plugin_id, endpoint, rule, bundle_install_id, locator, property, service_id)
);
-- of one plugin during an attempt, and the oldest of all
create index plugin_refusal_plugin on runtime.plugin_refusal (plugin_id, last_at);
create index plugin_refusal_last on runtime.plugin_refusal (last_at);

-- What the platform refused decides who acts next, which is the same for a whole failure group, so it is part of the key. Groups
-- of earlier failures keep their keys: none of them has it.
create or replace function runtime.set_failure_group() returns trigger
  language plpgsql set search_path = '' as $$
begin
  -- the reason, the status, `retryable`, `stopped`, `readsWrites` and `refusedHere` decide who acts next
  new.failure_group = left(encode(sha256(convert_to((jsonb_build_array(
    new.bundle_environment_key, new.bundle_id, new.phase,
    new.failure -> 'errorPath' ->> 1,
    new.failure ->> 'errorCode',
    new.failure ->> 'retryable',
    new.failure -> 'stopped' is not null,
    new.failure -> 'parameters' ->> 'reason',
    new.failure -> 'parameters' ->> 'status',
    runtime.failure_shape(new.failure ->> 'message'))
    || case when new.failure -> 'readsWrites' is null then '[]'::jsonb else '["readsWrites"]'::jsonb end
    || case when new.failure -> 'refusedHere' is null then '[]'::jsonb
      else jsonb_build_array(new.failure -> 'refusedHere' ->> 'rule') end)::text, 'UTF8')), 'hex'), 32);
  return new;
end $$;
