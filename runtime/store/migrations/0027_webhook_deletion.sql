-- A deleted webhook must not fail the change that it would have reported: the foreign key of the outbox would wait for the
-- deletion and then refuse the row. Key-share locks keep a webhook until the change commits, and skip one that is being
-- deleted; they do not wait for a change of its settings.
create or replace function runtime.webhooks_for(
  event text, changed runtime.operation, until_started timestamptz default null)
  returns setof runtime.webhook
  language sql volatile set search_path = '' as $$
  select receiver.* from runtime.webhook as receiver
  where enabled and event = any(events)
    and runtime.webhook_covers(
      receiver, (changed).environment_key, (changed).application_runtime_id, (changed).workspace_id)
    and (until_started is null
      or until_started < clock_timestamp() - make_interval(mins => retrying_after_minutes))
  for key share skip locked
$$;

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
      from runtime.batch_item as item join runtime.scope as place using (scope_id)
      where item.batch_id = new.batch_id
        and runtime.webhook_covers(
          webhook, place.environment_key, place.application_runtime_id, place.workspace_id)
      group by item.state
    ) as states
  ) as counted
  where enabled and 'batch.finished' = any(events) and counted.items is not null
  for key share of webhook skip locked
  on conflict (webhook_id, event, subject) do nothing;
  return null;
end $$;
