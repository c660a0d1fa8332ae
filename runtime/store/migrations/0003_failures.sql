-- Whether a retry can help is the same for a whole failure group, so what decides it is part of the key. Groups of earlier
-- failures keep their keys: none of them has the mark.
create or replace function runtime.set_failure_group() returns trigger
  language plpgsql set search_path = '' as $$
begin
  -- the reason, the status, `retryable`, `stopped` and `readsWrites` decide who acts next, which is the same for the whole group
  new.failure_group = left(encode(sha256(convert_to((jsonb_build_array(
    new.bundle_environment_key, new.bundle_id, new.phase,
    new.failure -> 'errorPath' ->> 1,
    new.failure ->> 'errorCode',
    new.failure ->> 'retryable',
    new.failure -> 'stopped' is not null,
    new.failure -> 'parameters' ->> 'reason',
    new.failure -> 'parameters' ->> 'status',
    runtime.failure_shape(new.failure ->> 'message'))
    || case when new.failure -> 'readsWrites' is null then '[]'::jsonb else '["readsWrites"]'::jsonb end)::text, 'UTF8')), 'hex'), 32);
  return new;
end $$;
