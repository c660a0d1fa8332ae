-- How far the walk through a table is that seals everything in it with one data key.
create table runtime.sealing_pass (
  table_name text primary key,
  data_key_id integer not null,
  started_at timestamptz not null default clock_timestamp(),
  -- the key of the last row that was looked at; null before the first
  last_row json,
  -- values that did not open: they are left as they are, and their key is kept
  unopened integer not null default 0,
  finished_at timestamptz
);
