-- Retention (docs/decisions/0046). Its only row is the lock of the replica that removes, and stores how far it came.
create table runtime.retention (
  only_row boolean primary key default true check (only_row),
  -- when the next run starts; the first is a day after this migration
  due_at timestamptz not null default clock_timestamp() + interval '1 day',
  -- of the current run; null between runs
  run_started_at timestamptz,
  -- the last operation that the current run examined
  examined_at timestamptz,
  examined_id uuid,
  -- the last finished operation whose attempts were removed
  attempts_until timestamptz,
  attempts_until_id uuid,
  -- the last completed run, and the age from which on it removed operations
  completed_at timestamptz,
  operations_until timestamptz,
  -- removed by the current run
  run_operations bigint not null default 0,
  run_attempts bigint not null default 0,
  run_batches bigint not null default 0,
  -- removed by all runs
  all_operations bigint not null default 0,
  all_attempts bigint not null default 0,
  all_batches bigint not null default 0,
  failures bigint not null default 0
);
insert into runtime.retention default values;

create index operation_finished on runtime.operation (finished_at, operation_id)
  where state in ('SUCCEEDED', 'TAKEN_OVER');
-- for the foreign keys: without them, each deletion of an operation would read the whole table
create index operation_takes_over on runtime.operation (takes_over) where takes_over is not null;
create index operation_taken_over_by on runtime.operation (taken_over_by) where taken_over_by is not null;

-- the default waits until a fifth of a large table is dead
alter table runtime.operation set (autovacuum_vacuum_scale_factor = 0.05);
alter table runtime.operation_plan set (autovacuum_vacuum_scale_factor = 0.05);
alter table runtime.plugin_call set (autovacuum_vacuum_scale_factor = 0.05);
alter table runtime.attempt set (autovacuum_vacuum_scale_factor = 0.05);
