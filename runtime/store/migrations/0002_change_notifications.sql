-- Change requests in inboxes. Their notifications name the request in `subject`, and are pruned with the others
-- (`deleteOldNotifications`).

-- What happens to a change request concerns those who wrote it, except who did it.
create function runtime.notify_authors() returns trigger
  language plpgsql set search_path = '' as $$
begin
  insert into runtime.inbox_notification (person_id, event, because, subject, by_id, by_name)
  select author_id, 'change.' || lower(new.event), 'requested', new.change_request_id || '/' || new.number,
    case when new.event in ('APPROVED', 'REJECTED') then new.by_id end,
    case when new.event in ('APPROVED', 'REJECTED') then new.by_name end
  from runtime.change_request as request cross join lateral unnest(request.author_ids) as author_id
  where request.change_request_id = new.change_request_id and author_id <> new.by_id
  on conflict (person_id, event, subject) do nothing;
  return null;
end $$;
create trigger change_concerned after insert on runtime.change_entry
  for each row when (new.event in ('APPROVED', 'REJECTED', 'CONFLICTED', 'EXPIRED', 'REFUSED'))
  execute function runtime.notify_authors();

-- An approval that does not count any more concerns who gave it: again, if it counted again meanwhile. The inbox says that they approved it;
-- `because` has no value for that, since earlier versions may run on this table.
create function runtime.notify_approvers() returns trigger
  language plpgsql set search_path = '' as $$
begin
  insert into runtime.inbox_notification (person_id, event, because, subject)
  select approver_id, 'change.outdated', 'followed', new.change_request_id || '/' || approval.at
  from runtime.change_approval as approval
  where approval.change_request_id = new.change_request_id and approval.effect = old.effect
    and approver_id <> all(new.author_ids)
  on conflict (person_id, event, subject) do update set at = clock_timestamp(), read_at = null, snoozed_until = null;
  return null;
end $$;
create trigger change_approvals_outdated after update of effect on runtime.change_request
  for each row when (old.effect is distinct from new.effect and new.ended_at is null)
  execute function runtime.notify_approvers();

-- A reminder is reported as the request itself, and says that it is one.
create or replace function runtime.change_entered() returns trigger
  language plpgsql set search_path = '' as $$
declare
  reported text := case new.event when 'SUBMITTED' then 'change.requested' when 'REMINDED' then 'change.requested'
    when 'APPROVED' then 'change.approved' when 'REJECTED' then 'change.rejected' when 'CONFLICTED' then 'change.conflicted'
    when 'APPLIED' then 'change.applied' when 'EXPIRED' then 'change.expired' when 'OVERRIDDEN' then 'change.overridden' end;
begin
  insert into runtime.webhook_delivery (webhook_id, event, subject, body)
  select webhook_id, reported, new.change_request_id || '/' || new.number,
    runtime.notification_body(reported, json_build_object(
      'changeRequestId', request.change_request_id, 'kind', request.kind, 'state', request.state,
      'reminder', new.event = 'REMINDED',
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
create trigger change_reminder after insert on runtime.change_entry
  for each row when (new.event = 'REMINDED') execute function runtime.change_entered();

-- looked for every few seconds: those that wait for approvals
create index change_request_open on runtime.change_request (updated_at) where state = 'OPEN' and approvals_needed > 0;
