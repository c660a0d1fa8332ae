-- Who retried an operation and why, and how the run before it had ended.
create table runtime.operation_retry (
  operation_id uuid not null references runtime.operation,
  -- the run that the retry started
  run integer not null,
  started_at timestamptz not null default clock_timestamp(),
  started_by_id text not null,
  started_by_name text not null,
  reason text,
  -- of the run before
  failure json,
  failed_at timestamptz,
  primary key (operation_id, run)
);
-- The time of work does not include the time between runs, when nothing happened.
alter table runtime.operation
  add column run_started_at timestamptz,
  add column earlier_runs_ms bigint not null default 0;
