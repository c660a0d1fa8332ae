-- Who stops the automatic retries of an operation knows that it failed; the others learn who stopped them.
create or replace function runtime.notify_concerned() returns trigger
  language plpgsql set search_path = '' as $$
begin
  insert into runtime.inbox_notification (person_id, event, because, subject, operation_id, by_id, by_name)
  select concerned.person_id, case new.state when 'FAILED' then 'operation.failed' else 'operation.taken_over' end,
    concerned.because, new.operation_id || '/' || new.run, new.operation_id, done.by_id, done.by_name
  from runtime.concerned(new) as concerned
  left join runtime.operation as successor on successor.operation_id = new.taken_over_by
  cross join lateral (
    select case new.state when 'FAILED' then new.failure -> 'stopped' -> 'by' ->> 'id' else successor.requested_by_id end as by_id,
      case new.state when 'FAILED' then new.failure -> 'stopped' -> 'by' ->> 'name' else successor.requested_by_name end as by_name
  ) as done
  -- who did it knows it
  where concerned.person_id is distinct from done.by_id
  on conflict (person_id, event, subject) do nothing;
  return null;
end $$;
