-- An INSTALL makes its scope when its item starts, so a batch leaves nothing of the targets that it refuses or skips. Until then the
-- item names a scope that does not exist by its parts. They stay; they grow and go with the items.
alter table runtime.batch_item
  alter column scope_id drop not null,
  add column environment_key text,
  add column application_runtime_id text,
  add column workspace_id bigint;

create or replace function runtime.batch_finished() returns trigger
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
      from runtime.batch_item as item left join runtime.scope as place using (scope_id)
      where item.batch_id = new.batch_id
        and runtime.webhook_covers(
          webhook,
          coalesce(place.environment_key, item.environment_key),
          coalesce(place.application_runtime_id, item.application_runtime_id),
          coalesce(place.workspace_id, item.workspace_id))
      group by item.state
    ) as states
  ) as counted
  where enabled and 'batch.finished' = any(events) and counted.items is not null
  for key share of webhook skip locked
  on conflict (webhook_id, event, subject) do nothing;
  return null;
end $$;
