-- A comment on a change request concerns those who wrote it and those who commented on it before, except who comments now.
create function runtime.notify_of_comment() returns trigger
  language plpgsql set search_path = '' as $$
begin
  insert into runtime.inbox_notification (person_id, event, because, subject, by_id, by_name)
  select person_id, 'change.commented', case when person_id = any(request.author_ids) then 'requested' else 'followed' end,
    new.change_request_id || '/' || new.number, new.by_id, new.by_name
  from runtime.change_request as request cross join lateral (
    select unnest(request.author_ids)
    union select by_id from runtime.change_entry as entry
      where entry.change_request_id = request.change_request_id and entry.event = 'COMMENTED') as concerned (person_id)
  where request.change_request_id = new.change_request_id and person_id <> new.by_id
  on conflict (person_id, event, subject) do nothing;
  return null;
end $$;
create trigger change_commented after insert on runtime.change_entry
  for each row when (new.event = 'COMMENTED') execute function runtime.notify_of_comment();
