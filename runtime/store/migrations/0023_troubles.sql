-- What keeps the platform itself from working. A trouble of the database is recorded once it is over, as a process event with an end.
alter table runtime.process_event add column until timestamptz;
-- When the worker of this replica last looked for due operations; null if it has none.
alter table runtime.signing_key add column worker_seen_at timestamptz;
