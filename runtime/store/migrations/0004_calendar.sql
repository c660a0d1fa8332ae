-- The calendar finds the change requests whose schedule ends after a moment, also those that have ended. Few have a schedule.
create index change_request_schedule on runtime.change_request (not_after) where not_after is not null;
