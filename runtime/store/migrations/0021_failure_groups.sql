-- replaces: 6c37955f22a191f7ec9d5b6b872c995bfad8977115d3c17b4ba88f91dc92378e
-- Failed operations with the same cause form a group: the same bundle, plugin, stage, code and shape of the message. The key
-- is stored when an operation fails, because computing it for a hundred thousand rows takes seconds.
alter table runtime.operation add column failure_group text;

-- A message without what differs between operations: quoted values, addresses, and words with digits, such as ids, versions
-- and numbers. docs/runtime-api.md#failure-groups
create function runtime.failure_shape(message text) returns text
  language sql immutable strict set search_path = ''
  return regexp_replace(
    regexp_replace(
      regexp_replace(
        regexp_replace(message, '"[^"]*"|“[^”]*”|‘[^’]*’|`[^`]*`|(?<![[:alnum:]])''[^'']*''(?![[:alnum:]])', '…', 'g'),
        '[^[:space:]]+(@|://)[^[:space:]]+', '…', 'g'),
      '[[:alnum:]_]*[0-9][[:alnum:]_]*', '#', 'g'),
    '#([-.:/,]#)+', '#', 'g');

create function runtime.set_failure_group() returns trigger
  language plpgsql set search_path = '' as $$
begin
  -- the reason, the status, `retryable` and `stopped` decide who acts next, which is the same for the whole group
  new.failure_group = left(encode(sha256(convert_to(jsonb_build_array(
    new.bundle_environment_key, new.bundle_id, new.phase,
    new.failure -> 'errorPath' ->> 1,
    new.failure ->> 'errorCode',
    new.failure ->> 'retryable',
    new.failure -> 'stopped' is not null,
    new.failure -> 'parameters' ->> 'reason',
    new.failure -> 'parameters' ->> 'status',
    runtime.failure_shape(new.failure ->> 'message'))::text, 'UTF8')), 'hex'), 32);
  return new;
end $$;
create trigger operation_failure_group before insert or update of failure on runtime.operation
  for each row when (new.failure is not null) execute function runtime.set_failure_group();

-- 0038 fills the operations that have failed already.

-- everything that the counts of groups read
create index operation_failure_group on runtime.operation
  (failure_group, finished_at, operation_id, scope_id, environment_key, target_version) where state = 'FAILED';
